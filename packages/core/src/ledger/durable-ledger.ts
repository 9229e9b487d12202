import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import { type ApiKeyRegistryEngine, createApiKeyRegistry } from '../auth/create-api-key-registry.js';
import { type Answer, createOpenState } from '../options/open-state.js';
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
  /** Recomputes every counter from the log and the open holds while others go on working. Each is compared in one consistent view of the storage. */
  audit(): Promise<AuditReport>;
}

/** The operations of a {@link DurableLedger}, without the checks. */
export interface DurableLedgerEngine extends LedgerEngine {
  readonly apiKeys: ApiKeyRegistryEngine;
  readonly idempotency: IdempotencyEngine;
  migrate(): Answer<void>;
  audit(): Answer<AuditReport>;
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
    async audit() {
      open.check();
      return open.during(engine.audit());
    },
  };
}
