import { createDurableLedger, type DurableLedger } from '@searchgate/core/ledger';
import { createAccess } from './engine/access.js';
import { createConnection } from './engine/connection.js';
import { sqliteApiKeys } from './keys/sqlite-api-keys.js';
import { sqliteIdempotency } from './keys/sqlite-idempotency.js';
import { audit } from './money/audit.js';
import { createForgetting } from './money/forget-old.js';
import { removeEntries } from './money/remove-entries.js';
import { sqliteMoney } from './money/sqlite-money.js';
import { readSqliteLedgerOptions, type SqliteLedgerOptions } from './sqlite-ledger-options.js';

/** Money, API keys and idempotency in one SQLite file. */
export type SqliteLedger = DurableLedger;

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
    idempotency: sqliteIdempotency(access),
    migrate: access.migrate,
    removeEntries: (cursor) => removeEntries(access, cursor),
    audit: () => audit(access),
  });
}
