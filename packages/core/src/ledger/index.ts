// The contracts of a ledger, a registry of keys and a store of idempotency keys
export type {
  Adjustment,
  Applied,
  Charge,
  CostSource,
  EntryPage,
  EntryQuery,
  ExpiryPolicy,
  Grant,
  HoldAccepted,
  HoldEnding,
  HoldRefused,
  HoldRequest,
  HoldResult,
  KeyTotals,
  Ledger,
  LedgerEntry,
  Loss,
  OrganizationTotals,
  Release,
} from './ledger.js';
export { MAX_SMALLER_AMOUNTS } from './ledger.js';
export type { AuditDifference, AuditReport, DurableLedger } from './durable-ledger.js';
export type { ApiKey, ApiKeyStore } from '../auth/api-key.js';
export type {
  ApiKeyChange,
  ApiKeyRecord,
  ApiKeyRegistry,
  Organization,
  OrganizationChange,
  RegistryPage,
  RegistryQuery,
} from '../auth/api-key-registry.js';
export type { Claim, ClaimRequest, ClaimResult, IdempotencyStore, StoredResponse } from './idempotency-store.js';

// What every ledger decides in the same way
export { type Budgets, decideHold, type KeyBudget } from './decide-hold.js';
export { checkTotal, isTotal } from './totals.js';
export { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from '../time/limit-window.js';
export { formatUsd, MAX_NANO_USD, MAX_TOTAL_NANO_USD, type NanoUsd, parseUsd } from '../money/money.js';

// What every registry decides in the same way
export { apiKeyOfRecord } from '../auth/api-key-of-record.js';
export { readRegistryQuery, registryPage, type RegistryPosition, type RegistryRange } from '../auth/registry-page.js';

// Checks of arguments, with the same errors in every ledger
export { checkLedgerId } from '../options/check-argument.js';
export {
  checkAdjustment,
  checkEntryQuery,
  checkExpiry,
  checkGrant,
  checkHoldRequest,
  checkKeyQuery,
  checkRelease,
  checkSettle,
} from './check-arguments.js';
export { checkClaim, checkClaimRequest, checkCompletion } from './check-claim.js';
export {
  checkApiKeyChange,
  checkApiKeyRecord,
  checkOrganization,
  checkOrganizationChange,
} from '../auth/check-registry-arguments.js';
export { isGatewayError } from '../errors/gateway-error.js';
export { isLedgerError, LedgerError, type LedgerReason } from '../errors/ledger-error.js';

// Options
export { ConfigurationError, type ConfigurationProblem } from '../errors/configuration-error.js';
export { maskUrls } from '../options/mask-urls.js';
export { parseOptions } from '../options/parse-options.js';
export { type Clock, systemClock } from '../time/clock.js';
