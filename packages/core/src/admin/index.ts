// An operator's operations on organizations, credits and keys
export type * from './administration.js';
export type * from './budget-administration.js';
export { AdministrationError, type AdministrationReason, isAdministrationError } from './administration-error.js';
export type { GatewayStatus } from './gateway-status.js';
export { type AdministrationOptions, createAdministration } from './create-administration.js';
// The vault stands here and not in /ledger, which engines import: hosts give it to createAdministration, and its `find` to the gateway.
export * from '../auth/encrypted-tenant-keys.js';
export type * from '../auth/tenant-keys.js';
export type { KeyedProvider } from './administer-tenant-keys.js';
export { csvText } from './csv-text.js';
// Pages of a host, mounted beside the gateway
export { expectedValue } from '../base/options/expected-value.js';
export {
  createUnsentReplies,
  type Reply,
  type UnsentReplies,
  type UnsentRepliesOptions,
} from '../limits/unsent-replies.js';
