import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import { type ApiKeyRegistryEngine, createApiKeyRegistry } from '../auth/create-api-key-registry.js';
import { LedgerError } from '../base/errors/ledger-error.js';
import { createOpenState, type EngineOf, wrapOperations } from '../base/options/open-state.js';
import type { AuditReport } from './audit-ledger.js';
import { type AuditLog, type AuditLogEngine, createAuditLog } from './audit-log.js';
import { createIdempotencyStore, type IdempotencyEngine } from './create-idempotency-store.js';
import { createLedger, type LedgerEngine } from './create-ledger.js';
import type { IdempotencyStore } from './idempotency-store.js';
import { createInstanceBoard, type InstanceBoard, type InstanceBoardEngine } from './instance-board.js';
import type { Ledger } from './ledger.js';
import type { RequestLog } from './request-log.js';

/**
 * The result of the ledger packages: money, keys and idempotency over one connection of the host.
 *
 * ```ts
 * await ledger.migrate();
 * const gateway = createGateway({ providers, ledger, apiKeys: ledger.apiKeys });
 * ```
 */
export interface DurableLedger extends Ledger {
  /** The key registry in the same storage: `createGateway({ apiKeys: ledger.apiKeys })`. */
  readonly apiKeys: ApiKeyRegistry;
  /** The default idempotency store of the gateway. */
  readonly idempotency: Required<IdempotencyStore>;
  /** The log of calls, apart from money: `createGateway({ requestLog: { log: ledger.requests } })`. */
  readonly requests: RequestLog;
  /** The record of who changed what: `createAdministration({ auditLog: ledger.changes })`. */
  readonly changes: AuditLog;
  /** The processes that share the ledger, as far as they tell. */
  readonly instances: InstanceBoard;
  /**
   * Brings the schema (tables or scripts) to the version of this package. Safe to run again, and by several processes at once. Does nothing where a newer
   * version of the package has left a schema that this one may still use. Before the first migration, and on a schema that needs a newer version, every
   * operation rejects with `LedgerError` `schema_mismatch`.
   */
  migrate(): Promise<void>;
  /**
   * Removes the log entries before a cursor, oldest first and in batches, while other operations run. Grants and adjustments stay, because their ids apply
   * once. Each batch adds its sums to a checkpoint in the same atomic step, so that `audit` stays right. Counters and the sums of `usage` do not change. After
   * an interruption a part of the entries is removed, and the call can be repeated.
   *
   * @param cursor the `nextCursor` of a page of the whole log (a query without an organization, a key and times). Entries before that page are removed.
   * @returns the number of removed entries.
   * @throws LedgerError `invalid_cursor`.
   */
  removeEntries(cursor: string): Promise<number>;
  /** Recomputes every counter from the log and the open holds, while other operations run. Compares each counter in one consistent view of the storage. */
  audit(): Promise<AuditReport>;
}

/** The operations of a {@link DurableLedger}, with checked arguments. */
export interface DurableLedgerEngine extends LedgerEngine, EngineOf<Maintenance> {
  /** The version of the schema that this package knows. */
  readonly schemaVersion: number;
  /** In the same storage, as all parts. */
  readonly apiKeys: ApiKeyRegistryEngine;
  /** Responses to replay. */
  readonly idempotency: IdempotencyEngine;
  /** The log of calls. */
  readonly requests: EngineOf<RequestLog>;
  /** The record of who changed which setting. */
  readonly changes: AuditLogEngine;
  /** The processes that share the ledger. */
  readonly instances: InstanceBoardEngine;
}

const REQUEST_OPERATIONS = ['append', 'find', 'get', 'organizations', 'prune', 'erase'] as const;

type Maintenance = Pick<DurableLedger, 'migrate' | 'removeEntries' | 'audit'>;

/** Makes a {@link DurableLedger} of an engine, as `createLedger` makes a `Ledger`. Its parts open and close together. */
export function createDurableLedger(engine: DurableLedgerEngine): DurableLedger {
  const open = createOpenState();
  const instances = createInstanceBoard(engine.instances, { interceptor: open, schema: engine.schemaVersion });
  return {
    ...createLedger(engine, open),
    apiKeys: withSchemaWindow(createApiKeyRegistry(engine.apiKeys, open), instances),
    idempotency: createIdempotencyStore(engine.idempotency, open),
    requests: wrapOperations<RequestLog>(engine.requests, REQUEST_OPERATIONS, { interceptor: open }),
    changes: createAuditLog(engine.changes, open),
    instances,
    ...wrapOperations<Maintenance>(engine, ['migrate', 'removeEntries', 'audit'], { interceptor: open }),
  };
}

/** The first version of the schema whose processes hold calls in budgets. */
const BUDGETS_SINCE = 4;

/** Lets no budget be set while an older process would pass it over: such a process holds calls without their budgets. */
function withSchemaWindow(apiKeys: ApiKeyRegistry, instances: InstanceBoard): ApiKeyRegistry {
  return {
    ...apiKeys,
    async setBudget(budget) {
      const older = (await instances.living(Date.now())).filter(({ schema = 0 }) => schema < BUDGETS_SINCE);
      if (older.length === 0) return apiKeys.setBudget(budget);
      const names = older.slice(0, 10).map(({ name, id }) => `${name} (${id})`);
      const message = `budgets can be set once no older version runs: ${names.join(', ')}`;
      throw new LedgerError('schema_window_open', message);
    },
  };
}
