// What a host needs. What else can be exported has an entry of its own: administration, ledger, node, provider-kit, providers.

// Building a gateway
export { createGateway, type Gateway } from './gateway.js';
export type { GatewayOptions } from './gateway-options.js';
export type { AnswerEvent } from './request/answer-events.js';
export type { Answer } from './request/answer-reply.js';
export type { AnswerOptions, Credits, LocalApi, KeyUsage } from './request/local-api.js';
export type { Caller, CallOptions } from './kinds/call-options.js';
export type { AnswerCitation } from './kinds/answer/answer-listener.js';
export type { SearchOptions } from './base/search-options/search-options.js';
export { CATEGORIES, type Category, type ModelEntry } from './catalog/model-entry.js';
export type { ModelOverrides } from './catalog/model-overrides.js';

// API keys and authentication
export type { ApiKey, ApiKeyStore } from './auth/api-key.js';
export { generateApiKey, hashApiKey } from './auth/api-key-secret.js';
export type { Authenticate } from './auth/authenticator.js';
export type { AuthenticatedRequest } from './auth/caller-request.js';
export type { KeyIdentity } from './auth/key-identity.js';
export { type MemoryApiKey, memoryApiKeys } from './auth/memory-api-keys.js';

// Money
export type { IdempotencyStore } from './ledger/idempotency-store.js';
export type { Ledger } from './ledger/ledger.js';
export { memoryIdempotency, type MemoryIdempotencyOptions } from './ledger/memory-idempotency.js';
export { memoryLedger, type MemoryLedgerOptions } from './ledger/memory-ledger.js';
export { formatUsd, type NanoUsd, parseUsd } from './base/money.js';

// What went wrong
export * from './base/errors/configuration-error.js';
export { GatewayError, isGatewayError } from './base/errors/gateway-error.js';
export { isLedgerError } from './base/errors/ledger-error.js';
export { type Reason, REASONS } from './base/errors/reasons.js';
export { isRequestError, RequestError } from './base/errors/request-error.js';

// What happened
export { eventToJson, type GatewayEvent, type RequestFinished } from './base/events/events.js';
export type { AttemptFinished } from './base/events/provider-events.js';
export type { Logger } from './base/events/logger.js';

// The bodies of responses
export type { ErrorEnvelope } from './http/error-envelope.js';
export type { AnswerBody, CreditsBody, KeyBody, ModelsBody } from './http/success-bodies.js';

// Mounting on anything
export type { GatewayRequest, GatewayResponse, MountableGateway } from './http/gateway-request.js';
export { type FetchHandlerOptions, toFetchHandler } from './http/to-fetch-handler.js';
