import {
  type ApiKeyChange,
  type ApiKeyRegistryEngine,
  changedKey,
  createDurableLedger,
  type DurableLedger,
  type HoldRecord,
  type IdempotencyEngine,
  type LedgerEngine,
  newOrganization,
  stateOperations,
  type TenantKeyStore,
} from '@searchgate/core/ledger';
import { sqliteChanges, sqliteInstances } from './changes/sqlite-changes.js';
import { type Access, createAccess } from './engine/access.js';
import { type Connection, createConnection } from './engine/connection.js';
import { plain, rowsOf, whole } from './engine/rows.js';
import { BUDGETS, budgetsOf, unknownBudget } from './keys/budget-rows.js';
import { claimName, completeClaim, eraseClaims, freeClaim } from './keys/claim-rows.js';
import { KEYS, ORGANIZATIONS } from './keys/key-rows.js';
import { sqliteTenantKeys } from './keys/tenant-key-rows.js';
import { audit } from './money/audit.js';
import { expireHolds } from './money/expire-holds.js';
import { createForgetting, type Forgetting } from './money/forget-old.js';
import { readEntries } from './money/read-entries.js';
import { removeEntries } from './money/remove-entries.js';
import { openState } from './money/sqlite-state.js';
import { sqliteRequests } from './requests/sqlite-requests.js';
import { MIGRATIONS } from './schema/migrations.js';
import { readSqliteLedgerOptions, type SqliteLedgerOptions } from './sqlite-ledger-options.js';
import { readUsage } from './usage/read-usage.js';

const RECORDS = rowsOf<Omit<HoldRecord, 'cost'> & { readonly cost: bigint | null }>({
  holdId: plain('id'),
  organizationId: plain('organization_id'),
  keyId: plain('key_id'),
  status: plain('status'),
  cost: plain('cost'),
  model: plain('model'),
  provider: plain('provider'),
  createdAtMs: whole('created_at_ms'),
  endedAtMs: whole('ended_at_ms'),
});
const FIND = `SELECT ${RECORDS.columns} FROM searchgate_holds WHERE id = ?`;

/** `undefined` for a hold that is not known, or not any more. */
function findHold(connection: Connection, holdId: string): HoldRecord | undefined {
  const row = connection.tuples(FIND).get(holdId);
  const record = row && RECORDS.recordOf(row);
  return record && { ...record, cost: record.cost ?? 0n };
}

/** Money: what writes goes in batches, what reads sees what is committed. */
function sqliteMoney(access: Access, { forget }: Forgetting): Omit<LedgerEngine, 'close'> {
  const { read, write, clock } = access;
  return {
    ...stateOperations(
      (operation, ...values) => write((state) => operation(state, ...values)),
      (operation, ...values) => read((connection) => operation(openState(connection, clock.now()), ...values)),
    ),
    expireHolds: (nowMs) => expireHolds(access, { nowMs, forget }),
    usage: (query) => readUsage(access, query),
    findHold: (holdId) => read((connection) => findHold(connection, holdId)),
    entries: (query) => readEntries(access, query),
  };
}

/** Money, API keys, vendor keys and idempotency in one SQLite file. */
export type SqliteLedger = DurableLedger & {
  /** The encrypted vendor keys of organizations. */
  readonly tenantKeys: TenantKeyStore;
};

/**
 * A ledger in one SQLite file on one machine, shared by as many processes as open it.
 *
 * Every operation that writes is part of one `BEGIN IMMEDIATE … COMMIT`, in WAL mode with `synchronous = FULL`: acknowledged, it survives `kill -9` and a
 * loss of power; before that, it is wholly there or not at all. Operations of the same turn of the event loop share a transaction (group commit), in which
 * one that is refused changes nothing and takes no other with it.
 *
 * An error of the engine means that the operation has changed nothing. Only where the process or the machine ends right then may it be there afterwards;
 * every operation is idempotent by its id, so it may always be repeated.
 *
 * ```ts
 * const ledger = sqliteLedger({ database: new Database('searchgate.db') });
 * await ledger.migrate();
 * ```
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function sqliteLedger(options: SqliteLedgerOptions): SqliteLedger {
  const { database, clock, busyTimeoutMs, endedHoldRetentionMs } = readSqliteLedgerOptions(options);
  const forgetting = createForgetting(endedHoldRetentionMs);
  const { afterBatch } = forgetting;
  const access = createAccess({ connection: createConnection(database), clock, busyTimeoutMs, afterBatch });
  return createDurableLedger({
    ...sqliteMoney(access, forgetting),
    apiKeys: sqliteApiKeys(access),
    tenantKeys: sqliteTenantKeys(access),
    idempotency: sqliteIdempotency(access),
    requests: sqliteRequests(access),
    changes: sqliteChanges(access),
    instances: sqliteInstances(access),
    schemaVersion: MIGRATIONS.length,
    migrate: access.migrate,
    removeEntries: (cursor) => removeEntries(access, cursor),
    audit: () => audit(access),
  });
}

/** The registry of keys in the ledger's database. Its changes share transactions with the operations of the ledger. */
function sqliteApiKeys({ read, write }: Access): ApiKeyRegistryEngine {
  return {
    findByHash: (hash) =>
      read((connection) => {
        const key = KEYS.find(connection, hash, 'hash');
        const organization = key && ORGANIZATIONS.find(connection, key.organizationId);
        return key && { key, organization, budgets: budgetsOf(connection, key) };
      }),
    insertKey: (key) =>
      write(({ connection }) => {
        const unknown = unknownBudget(connection, key);
        if (unknown !== undefined) return unknown;
        if (!KEYS.insert(connection, key)) return false;
        ORGANIZATIONS.insert(connection, newOrganization(key.organizationId, key.createdAtMs));
        return true;
      }),
    findKey: (id) => read((connection) => KEYS.find(connection, id)),
    updateKey: (id, change) => write(({ connection }) => updateKey(connection, id, change)),
    listKeys: (range) => read((connection) => KEYS.list(connection, range)),
    insertOrganization: (organization) => write(({ connection }) => ORGANIZATIONS.insert(connection, organization)),
    findOrganization: (id) => read((connection) => ORGANIZATIONS.find(connection, id)),
    updateOrganization: (id, change) =>
      write(({ connection }) =>
        ORGANIZATIONS.update(connection, id, (organization) => ({ ...organization, ...change })),
      ),
    listOrganizations: (range) => read((connection) => ORGANIZATIONS.list(connection, range)),
    setBudget: (budget) => write(({ connection }) => BUDGETS.set(connection, budget)),
    findBudget: (organizationId, id) => read((connection) => BUDGETS.find(connection, organizationId, id)),
    listBudgets: (range) => read((connection) => BUDGETS.list(connection, range)),
    deleteBudget: (organizationId, id) => write(({ connection }) => BUDGETS.delete(connection, organizationId, id)),
  };
}

function updateKey(connection: Connection, id: string, change: ApiKeyChange) {
  const key = change.budgets === undefined ? undefined : KEYS.find(connection, id);
  const unknown = key && unknownBudget(connection, { ...key, ...change });
  return unknown ?? KEYS.update(connection, id, (stored) => changedKey(stored, change));
}

/** The claims of `Idempotency-Key`s in the ledger's database. */
function sqliteIdempotency(access: Access): IdempotencyEngine {
  const { write } = access;
  return {
    claim: (request) => write((state) => claimName(state, request)),
    complete: (claim, response, keepUntilMs) =>
      write((state) => completeClaim(state, claim, { response, keepUntilMs })),
    free: (claim) => write((state) => freeClaim(state, claim)),
    erase: (organizationId) => eraseClaims(access, organizationId),
  };
}
