// A file whose names are all public is exported as a whole.

// The contracts of a ledger, a registry of keys and a store of idempotency keys
export * from './ledger.js';
export type { CostSource, LedgerEntry } from './ledger-entry.js';
export * from './usage.js';
export { dateOfDay, dayOf, firstDayOf, LAST_DAY, monthOfDay } from '../base/time/clock.js';
export type { DurableLedger } from './durable-ledger.js';
export type { ApiKey, ApiKeyStore } from '../auth/api-key.js';
export type * from '../auth/api-key-registry.js';
export type { Claim, ClaimRequest, ClaimResult, IdempotencyStore, StoredResponse } from './idempotency-store.js';

// Make a ledger, a registry and a store of an engine, with argument checks and closing
export { createLedger, type CheckedEntryQuery, type CheckedUsageQuery, type LedgerEngine } from './create-ledger.js';
export { createDurableLedger, type DurableLedgerEngine } from './durable-ledger.js';
export { createIdempotencyStore, type IdempotencyEngine } from './create-idempotency-store.js';
export * from '../auth/create-api-key-registry.js';
export type { Budget, BudgetMode, BudgetOfKey } from '../auth/budget.js';
export {
  memoryTenantKeyStore,
  type SealedKey,
  type TenantKeyStore,
  type TenantKeyStoreEngine,
} from '../auth/tenant-key-store.js';
export { DOMAIN_RULE, type DomainRule, readDomainRule } from '../base/domain-rule.js';
export type { FoundApiKey, OrganizationOfKey } from '../auth/api-key-of-record.js';
export { changedKey, newOrganization } from '../auth/registry-records.js';
export type { RegistryPosition, RegistryRange } from '../auth/registry-page.js';
export type { MaybePromise, OpenState } from '../base/options/open-state.js';

// Decisions that all ledgers share
export { decideAdmission, type SlotsTaken } from './decide-hold.js';
export { type Budgets, decideHold, type SpentBudget } from './decide-hold.js';
export { checkTotal } from '../base/options/check-argument.js';
export { expireHold } from './money-operations.js';
export { stateOperations } from './create-ledger.js';
export * from './ledger-state.js';
export {
  latestWindows,
  type LimitWindows,
  limitWindowsAt,
  type WindowedUsage,
  type WindowUsages,
} from './window-usage.js';
export {
  fitsRate,
  isMaxConcurrent,
  isRateLimit,
  MAX_CONCURRENT,
  MAX_REQUESTS,
  msUntilFull,
  msUntilNext,
  type RateLimit,
  rateRemaining,
  type RateState,
  rateUsedAt,
} from '../base/time/rate-limit.js';
export { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from '../base/time/limit-window.js';
export { formatUsd, MAX_NANO_USD, MAX_TOTAL_NANO_USD, type NanoUsd, parseUsd } from '../base/money.js';

// Reads and work that all ledgers share
export * from './audit-ledger.js';
export * from './log-replay.js';
export { addToGroup, usagePage } from './usage-page.js';
export { entryOf, type StoredEntry } from './entry-of.js';
export { type Backoff, backoffMs, retry, type RetryOptions } from '../base/time/retry.js';

// Errors
export { isGatewayError } from '../base/errors/gateway-error.js';
export { isLedgerError, LedgerError, type LedgerReason } from '../base/errors/ledger-error.js';

// Options
export { clientGroup } from '../auth/client-address.js';
export { ConfigurationError, type ConfigurationProblem } from '../base/errors/configuration-error.js';
export { errorMessage } from '../base/errors/error-message.js';
export { oneLine } from '../base/options/characters.js';
export { callerLimitSchemas } from '../base/options/limit-schemas.js';
export { maskUrls } from '../base/options/mask-urls.js';
export {
  clockSchema,
  count as countSchema,
  ledgerIdSchema,
  millisecondsSchema,
} from '../base/options/option-schemas.js';
export { parseOptions } from '../base/options/parse-options.js';
export { throttledLogger } from '../base/events/logger.js';
export { type Clock, isClock, systemClock } from '../base/time/clock.js';

// Who changed what
export * from './audit-log.js';

export type { Instance, InstanceBoard, InstanceBoardEngine } from './instance-board.js';

// The log of calls
export { memoryRequestLog } from './memory-request-log.js';
export * from './request-log.js';
export * from './request-statistics.js';
export {
  addPacked,
  addText,
  collectStatistics,
  entriesOf,
  inLongerSteps,
  type Packed,
  type PackedSums,
  textOfSums,
} from './packed-sums.js';
export type { RequestText, RequestTextOwner, RequestTexts } from './request-texts.js';
export { packedOf, statisticsOfMinutes } from './statistics-of.js';
