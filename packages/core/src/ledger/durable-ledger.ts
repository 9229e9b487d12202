import type { ApiKeyRegistry } from '../auth/api-key-registry.js';
import { type ApiKeyRegistryEngine, createApiKeyRegistry } from '../auth/create-api-key-registry.js';
import { createTenantKeyStore, type TenantKeyStore, type TenantKeyStoreEngine } from '../auth/tenant-key-store.js';
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
import type { RequestTexts } from './request-texts.js';

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
  /** Encrypted vendor keys of organizations, where the engine keeps them: SQLite and PostgreSQL do. */
  readonly tenantKeys?: TenantKeyStore | undefined;
  /** The default idempotency store of the gateway. */
  readonly idempotency: Required<IdempotencyStore>;
  /** The log of calls, apart from money: `createGateway({ requestLog: { log: ledger.requests } })`. */
  readonly requests: RequestLog & { readonly texts: RequestTexts };
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
  /** Absent where the engine keeps no vendor keys. */
  readonly tenantKeys?: TenantKeyStoreEngine | undefined;
  /** Responses to replay. */
  readonly idempotency: IdempotencyEngine;
  /** The log of calls. */
  readonly requests: EngineOf<Omit<RequestLog, 'texts'>> & { readonly texts: EngineOf<RequestTexts> };
  /** The record of who changed which setting. */
  readonly changes: AuditLogEngine;
  /** The processes that share the ledger. */
  readonly instances: InstanceBoardEngine;
}

const REQUEST_OPERATIONS = [
  ...(['append', 'find', 'get', 'organizations', 'statistics'] as const),
  ...(['prune', 'erase', 'eraseBudget'] as const),
];

const TEXT_OPERATIONS = ['append', 'find', 'prune', 'erase'] as const;

type Maintenance = Pick<DurableLedger, 'migrate' | 'removeEntries' | 'audit'>;

/** Makes a {@link DurableLedger} of an engine, as `createLedger` makes a `Ledger`. Its parts open and close together. */
export function createDurableLedger(
  engine: DurableLedgerEngine & { readonly tenantKeys: TenantKeyStoreEngine },
): DurableLedger & { readonly tenantKeys: TenantKeyStore };
export function createDurableLedger(engine: DurableLedgerEngine): DurableLedger;
export function createDurableLedger(engine: DurableLedgerEngine): DurableLedger {
  const open = createOpenState();
  const instances = createInstanceBoard(engine.instances, { interceptor: open, schema: engine.schemaVersion });
  const { tenantKeys } = engine;
  return {
    ...createLedger(engine, open),
    apiKeys: registryInWindow(createApiKeyRegistry(engine.apiKeys, open), instances),
    ...(tenantKeys && { tenantKeys: tenantKeysInWindow(createTenantKeyStore(tenantKeys, open), instances) }),
    idempotency: createIdempotencyStore(engine.idempotency, open),
    requests: {
      ...wrapOperations<Omit<RequestLog, 'texts'>>(engine.requests, REQUEST_OPERATIONS, { interceptor: open }),
      texts: wrapOperations<RequestTexts>(engine.requests.texts, TEXT_OPERATIONS, { interceptor: open }),
    },
    changes: createAuditLog(engine.changes, open),
    instances,
    ...wrapOperations<Maintenance>(engine, ['migrate', 'removeEntries', 'audit'], { interceptor: open }),
  };
}

/** The first version of the schema whose processes hold calls in budgets. */
const BUDGETS_SINCE = 4;
/** The first version whose processes know rules of domains and vendor keys of organizations. */
const TENANTS_SINCE = 5;

/** Refuses a setting while an older process would pass it over. @throws LedgerError `schema_window_open`. */
async function requireSchema(instances: InstanceBoard, since: number, subject: string): Promise<void> {
  const older = (await instances.living(Date.now())).filter(({ schema = 0 }) => schema < since);
  if (older.length === 0) return;
  const names = older.slice(0, 10).map(({ name, id }) => `${name} (${id})`);
  const message = `${subject} can be set once no older version runs: ${names.join(', ')}`;
  throw new LedgerError('schema_window_open', message);
}

/** Lets no budget and no rule of domains be set while an older process would pass it over. */
function registryInWindow(apiKeys: ApiKeyRegistry, instances: InstanceBoard): ApiKeyRegistry {
  const checked = <T>({ domains }: { readonly domains?: unknown }, write: () => Promise<T>): Promise<T> =>
    domains == null ? write() : requireSchema(instances, TENANTS_SINCE, 'domains').then(write);
  return {
    ...apiKeys,
    setBudget: (budget) => requireSchema(instances, BUDGETS_SINCE, 'budgets').then(() => apiKeys.setBudget(budget)),
    insertKey: (key) => checked(key, () => apiKeys.insertKey(key)),
    updateKey: (id, change) => checked(change, () => apiKeys.updateKey(id, change)),
    insertOrganization: (organization) => checked(organization, () => apiKeys.insertOrganization(organization)),
    updateOrganization: (id, change) => checked(change, () => apiKeys.updateOrganization(id, change)),
  };
}

function tenantKeysInWindow(store: TenantKeyStore, instances: InstanceBoard): TenantKeyStore {
  const require = () => requireSchema(instances, TENANTS_SINCE, 'vendor keys of organizations');
  return { ...store, put: (...given) => require().then(() => store.put(...given)) };
}
