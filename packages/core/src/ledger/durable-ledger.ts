import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import type { NanoUsd } from '../money/money.js';
import type { IdempotencyStore } from './idempotency-store.js';
import type { Ledger } from './ledger.js';

/**
 * What the ledger packages give: money, keys and idempotency over one connection of the host's.
 *
 * ```ts
 * await ledger.migrate();
 * const gateway = createGateway({ providers, ledger, apiKeys: ledger.apiKeys });
 * ```
 */
export interface DurableLedger extends Ledger {
  readonly apiKeys: ApiKeyRegistry;
  /** Used by the gateway of itself. */
  readonly idempotency: IdempotencyStore;
  /**
   * Brings the schema (tables or scripts) to this package's version. Safe to run again, and by several processes at once. Until it has
   * run, and where a newer version of the package has run, every verb rejects with `LedgerError` `schema_mismatch`.
   */
  migrate(): Promise<void>;
  /** Recomputes every counter from the log and the open holds while others go on working. Each is compared in one consistent view of the storage. */
  audit(): Promise<AuditReport>;
}

export interface AuditReport {
  readonly organizations: number;
  readonly keys: number;
  readonly entries: number;
  readonly openHolds: number;
  /** Empty when every counter equals the log. */
  readonly differences: readonly AuditDifference[];
}

/** A counter that is not what the log says. */
export interface AuditDifference {
  readonly subject: 'organization' | 'key';
  readonly id: string;
  /** `day`, `week` and `month` are a key's usage in its latest window of that length. */
  readonly counter: 'credits' | 'usage' | 'held' | 'day' | 'week' | 'month';
  readonly counted: NanoUsd;
  readonly recomputed: NanoUsd;
}
