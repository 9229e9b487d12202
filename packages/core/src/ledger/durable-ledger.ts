import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import { type ApiKeyRegistryEngine, createApiKeyRegistry } from '../auth/create-api-key-registry.js';
import { createOpenState, type MaybePromise } from '../base/options/open-state.js';
import type { AuditReport } from './audit-report.js';
import { createIdempotencyStore, type IdempotencyEngine } from './create-idempotency-store.js';
import { checkedLedger, type LedgerEngine } from './create-ledger.js';
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
  /** The gateway uses it by default. */
  readonly idempotency: IdempotencyStore;
  /**
   * Brings the schema (tables or scripts) to this package's version. Safe to run again, and by several processes at once. Until it has
   * run, and where a newer version of the package has run, every operation rejects with `LedgerError` `schema_mismatch`.
   */
  migrate(): Promise<void>;
  /**
   * Removes what stands in the log before a place, oldest first and some at a time, beside the work of others. Grants and adjustments stay, since their ids
   * apply once. What is removed is added to a checkpoint in the same atomic step, so that `audit` stays right; counters and the sums of `usage` do not
   * change. Where it stops half-way, a part is removed, and it can be called again.
   *
   * @param cursor the `nextCursor` of a page of the whole log (a query without an organization, a key and times): everything before the entry that page
   * would begin with.
   * @returns how many entries were removed.
   * @throws LedgerError `invalid_cursor`.
   */
  removeEntries(cursor: string): Promise<number>;
  /** Recomputes every counter from the log and the open holds while others go on working. Each is compared in one consistent view of the storage. */
  audit(): Promise<AuditReport>;
}

/** The operations of a {@link DurableLedger}, without the checks. */
export interface DurableLedgerEngine extends LedgerEngine {
  readonly apiKeys: ApiKeyRegistryEngine;
  readonly idempotency: IdempotencyEngine;
  migrate(): MaybePromise<void>;
  removeEntries(cursor: string): MaybePromise<number>;
  audit(): MaybePromise<AuditReport>;
}

/** Makes a {@link DurableLedger} of an engine, as `createLedger` makes a `Ledger`. Its parts open and close together. */
export function createDurableLedger(engine: DurableLedgerEngine): DurableLedger {
  const open = createOpenState();
  return {
    ...checkedLedger(engine, open),
    apiKeys: createApiKeyRegistry(engine.apiKeys, open),
    idempotency: createIdempotencyStore(engine.idempotency, open),
    async migrate() {
      open.check();
      await open.during(engine.migrate());
    },
    async removeEntries(cursor) {
      open.check();
      return open.during(engine.removeEntries(cursor));
    },
    async audit() {
      open.check();
      return open.during(engine.audit());
    },
  };
}
