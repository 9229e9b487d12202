import type { DurableLedger } from '@searchgate/core/ledger';
import { createDatabase, type Database } from './engine/database.js';
import { isTransient } from './engine/is-transient.js';
import { createLanes } from './engine/lanes.js';
import { postgresApiKeys } from './keys/postgres-api-keys.js';
import { type ClaimAnswer, type ClaimVerb, postgresIdempotency } from './keys/postgres-idempotency.js';
import { auditBooks } from './money/audit-books.js';
import type { MoneyAnswer } from './money/money-verbs.js';
import { directVerbs, travellingVerbs } from './money/postgres-money.js';
import { type PostgresLedgerOptions, readPostgresLedgerOptions } from './postgres-ledger-options.js';
import { migrate } from './schema/migrate.js';
import { MIGRATIONS } from './schema/migrations.js';

/** A {@link DurableLedger} in PostgreSQL. */
export type PostgresLedger = DurableLedger;

/** So many verbs share a commit at most: the rows they touch stay locked for a few milliseconds. */
const MAX_BATCH = 256;
/** Claims carry answers, which may be long. */
const MAX_CLAIM_BATCH = 32;

/**
 * A durable ledger, registry of API keys and store of idempotency keys in the host's PostgreSQL, for any number of processes.
 *
 * Every verb is one atomic step in one round trip, acknowledged once it is committed. Verbs that arrive while others are on their way go
 * together in the next batch and share its commit, so one busy organization is no queue of row locks.
 *
 * What an error means: a `LedgerError` changed nothing. Where the connection or the server fails, a verb is sent again for about two seconds,
 * which is safe because each knows its own work; after that it rejects with the driver's error, and **may or may not have been applied**: repeat
 * it with the same id to know.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function postgresLedger(options: PostgresLedgerOptions): PostgresLedger {
  const config = readPostgresLedgerOptions(options);
  const database = createDatabase(config);
  const { checkOpen } = database;
  const lanes = { count: config.lanes, mayPass: isTransient };
  const money = createLanes(sendTo<MoneyAnswer>(database, 'apply_verbs'), { ...lanes, maxBatch: MAX_BATCH });
  const claims = createLanes<ClaimVerb, ClaimAnswer>(sendTo(database, 'apply_claims'), {
    ...lanes,
    maxBatch: MAX_CLAIM_BATCH,
  });

  return {
    ...travellingVerbs(database, money),
    ...directVerbs(database, config),
    apiKeys: postgresApiKeys(database),
    idempotency: postgresIdempotency(database, claims),
    async migrate() {
      checkOpen();
      await migrate(database, MIGRATIONS);
    },
    async audit() {
      checkOpen();
      return auditBooks(database);
    },
    async close() {
      database.close();
      await Promise.all([money.idle(), claims.idle()]);
    },
  };
}

/** Sends a batch to a function of the schema, which answers each verb in order. */
function sendTo<Answer>({ write }: Database, operation: 'apply_verbs' | 'apply_claims') {
  return async (verbs: readonly Readonly<Record<string, unknown>>[]): Promise<readonly Answer[]> =>
    (await write<Answer[]>(operation, verbs)) ?? [];
}
