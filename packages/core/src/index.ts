// Building a gateway
export { createGateway, type Gateway } from './gateway.js';
export type { GatewayOptions } from './gateway-options.js';
export type { Answer } from './calls/answer-reply.js';
export type {
  AnswerOptions,
  Caller,
  CallOptions,
  Credits,
  InProcessCalls,
  KeyUsage,
} from './calls/in-process-calls.js';
export type { AnswerCitation } from './answer/answer.js';

// API keys and authentication
export type { ApiKey, ApiKeyStore } from './auth/api-key.js';
export type {
  ApiKeyChange,
  ApiKeyRecord,
  ApiKeyRegistry,
  Organization,
  OrganizationChange,
  RegistryPage,
  RegistryQuery,
} from './auth/api-key-registry.js';
export { type GeneratedApiKey, generateApiKey, hashApiKey } from './auth/api-key-secret.js';
export type { Authenticate, AuthenticatedRequest } from './auth/authenticator.js';
export type { KeyIdentity } from './auth/key-identity.js';
export { type MemoryApiKey, memoryApiKeys } from './auth/memory-api-keys.js';

// Administration
export type {
  Administration,
  AdjustmentResult,
  ApiKeyAdministration,
  ApiKeyUpdate,
  ApiKeyView,
  CreatedApiKey,
  GrantResult,
  NewAdjustment,
  NewApiKey,
  NewGrant,
  NewOrganization,
  OrganizationAccount,
  OrganizationAdministration,
  StatementQuery,
  StatementRow,
} from './administration/administration.js';
export { type AdministrationOptions, createAdministration } from './administration/create-administration.js';
export type { AuditDifference, AuditReport, DurableLedger } from './administration/durable-ledger.js';

// The catalog
export { CATEGORIES, type Category, type ListedPricing, type ModelEntry } from './catalog/model-entry.js';
export type { ModelOverrides } from './catalog/model-overrides.js';

// Money
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
} from './ledger/ledger.js';
export type {
  Claim,
  ClaimRequest,
  ClaimResult,
  IdempotencyStore,
  StoredResponse,
} from './ledger/idempotency-store.js';
export { LIMIT_RESETS, type LimitReset, type LimitWindow, limitWindowAt } from './time/limit-window.js';
export { memoryIdempotency, type MemoryIdempotencyOptions } from './ledger/memory-idempotency.js';
export { memoryLedger, type MemoryLedgerOptions } from './ledger/memory-ledger.js';
export { formatUsd, MAX_NANO_USD, type NanoUsd, parseUsd } from './money/money.js';

// What went wrong
export { ConfigurationError, type ConfigurationProblem, isConfigurationError } from './errors/configuration-error.js';
export type { ErrorDetails } from './errors/error-details.js';
export { type ErrorType, type Reason, REASONS, type UpstreamPhase, type UpstreamReason } from './errors/reasons.js';
export { GatewayError, isGatewayError } from './errors/gateway-error.js';
export { isLedgerError, LedgerError, type LedgerReason } from './errors/ledger-error.js';
export { isRequestError, RequestError } from './errors/request-error.js';
export { isUpstreamError, UpstreamError } from './errors/upstream-error.js';

// What happened
export {
  type AttemptFinished,
  type CostImplausible,
  type CostMismatch,
  type CostUnknown,
  type EventListener,
  type EventsDropped,
  eventToJson,
  type GatewayEvent,
  type HoldsExpired,
  type IdempotencyFailed,
  type IdempotencyRecovered,
  type LedgerSettleFailed,
  type LedgerSettleRecovered,
  type ProviderPaused,
  type ProviderResumed,
  type RequestFinished,
} from './events/events.js';
export type { Logger } from './events/logger.js';

// For providers, ledgers and registries of one's own: options and arguments checked with the same errors
export { maskUrls } from './options/mask-urls.js';
export { parseOptions } from './options/parse-options.js';
export { checkLedgerId } from './options/check-argument.js';
export {
  checkAdjustment,
  checkEntryQuery,
  checkExpiry,
  checkGrant,
  checkHoldRequest,
  checkKeyQuery,
  checkRelease,
  checkSettle,
} from './ledger/check-arguments.js';
export { type Budgets, decideHold, type KeyBudget } from './ledger/decide-hold.js';
export { checkTotal, isTotal } from './ledger/totals.js';
export { checkClaim, checkClaimRequest, checkCompletion } from './ledger/check-claim.js';
export {
  checkApiKeyChange,
  checkApiKeyRecord,
  checkOrganization,
  checkOrganizationChange,
} from './auth/check-registry-arguments.js';
export { readRegistryQuery, registryPage, type RegistryPosition, type RegistryRange } from './auth/registry-page.js';
export { apiKeyOfRecord } from './auth/api-key-of-record.js';

// Mounting on anything
export type { BudgetMetadata, ErrorEnvelope, ErrorMetadata, UpstreamMetadata } from './http/error-envelope.js';
export type {
  BodyLimits,
  GatewayRequest,
  GatewayResponse,
  MountableGateway,
  RequestBody,
} from './http/gateway-request.js';
export { type FetchHandlerOptions, toFetchHandler } from './http/to-fetch-handler.js';

// Time and ids, injected in tests and by ledgers in other packages
export { type Clock, systemClock } from './time/clock.js';
export type { IdSource } from './ids/ids.js';
