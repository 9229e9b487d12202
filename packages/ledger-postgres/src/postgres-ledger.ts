import { randomUUID } from 'node:crypto';
import {
  type Claim,
  type ClaimResult,
  createDurableLedger,
  type DurableLedger,
  type IdempotencyEngine,
  type TenantKeyStore,
} from '@searchgate/core/ledger';
import { postgresChanges, postgresInstances } from './changes/postgres-changes.js';
import { type Batchers, createBatchers } from './engine/batchers.js';
import { columnsOf } from './engine/column-of.js';
import { createDatabase, type Database } from './engine/database.js';
import { eraseSlices } from './engine/erase-slices.js';
import { isTransient } from './engine/is-transient.js';
import { postgresApiKeys } from './keys/postgres-api-keys.js';
import { postgresTenantKeys } from './keys/postgres-tenant-keys.js';
import { audit } from './money/audit.js';
import type { MoneyAnswer } from './money/money-operations.js';
import { batchedOperations, directOperations } from './money/postgres-money.js';
import { removeEntries } from './money/remove-entries.js';
import { type PostgresLedgerOptions, readPostgresLedgerOptions } from './postgres-ledger-options.js';
import { postgresRequests } from './requests/postgres-requests.js';
import { migrate } from './schema/migrate.js';
import { MIGRATIONS, SCHEMA_VERSION } from './schema/migrations.js';

/** A {@link DurableLedger} in PostgreSQL. */
export type PostgresLedger = DurableLedger & {
  /** Encrypted vendor keys of organizations. */
  readonly tenantKeys: TenantKeyStore;
};

/** So many operations share a commit at most: the rows they touch stay locked for a few milliseconds. */
const MAX_BATCH = 256;
/** Claims carry answers, which may be long. */
const MAX_CLAIM_BATCH = 32;

/**
 * A durable ledger, registry of API keys and store of idempotency keys in the host's PostgreSQL, for any number of processes.
 *
 * Every operation is one atomic step in one round trip, acknowledged once it is committed. Operations that arrive while others are on their way go
 * together in the next batch and share its commit, so one busy organization is no queue of row locks.
 *
 * What an error means: a `LedgerError` changed nothing. Where the connection or the server fails, an operation is sent again for about two seconds,
 * which is safe because each recognizes its own work. After that it rejects with the driver's error, and **may or may not have been applied**: repeat
 * it with the same id to know.
 *
 * @throws ConfigurationError naming the option that is wrong.
 */
export function postgresLedger(options: PostgresLedgerOptions): PostgresLedger {
  const config = readPostgresLedgerOptions(options);
  const database = createDatabase(config);
  const batchers = { count: config.batchers, isTransient };
  const money = createBatchers(sendTo<MoneyAnswer>(database, 'apply_operations'), { ...batchers, maxBatch: MAX_BATCH });
  const claims = createBatchers<ClaimOperation, ClaimAnswer>(sendTo(database, 'apply_claims'), {
    ...batchers,
    maxBatch: MAX_CLAIM_BATCH,
  });

  return createDurableLedger({
    schemaVersion: SCHEMA_VERSION,
    ...batchedOperations(money),
    ...directOperations(database, config),
    apiKeys: postgresApiKeys(database),
    tenantKeys: postgresTenantKeys(database),
    idempotency: postgresIdempotency(claims, database),
    requests: postgresRequests(database),
    changes: postgresChanges(database),
    instances: postgresInstances(database),
    migrate: () => migrate(database, MIGRATIONS),
    removeEntries: (cursor) => removeEntries(database, cursor),
    audit: () => audit(database),
  });
}

/** Sends a batch to a function of the schema, which answers each operation in order. */
function sendTo<Answer>({ write }: Database, name: 'apply_operations' | 'apply_claims') {
  return async (operations: readonly Readonly<Record<string, unknown>>[]): Promise<readonly Answer[]> =>
    (await write<Answer[]>(name, operations)) ?? [];
}

/** An operation as `apply_claims` reads it. */
type ClaimOperation = Readonly<Record<string, unknown>>;

/** What `apply_claims` answers: a claim's result, or whether the claim was still held. */
type ClaimAnswer = ClaimedAnswer | boolean;

type ClaimedAnswer =
  | { readonly status: 'claimed' | 'in_progress' | 'mismatch' }
  | { readonly status: 'finished'; readonly responseStatus: number; readonly body: string };

/** Claims have batchers of their own, so that a long answer to be kept never stands in the way of money. */
function postgresIdempotency(batchers: Batchers<ClaimOperation, ClaimAnswer>, { write }: Database): IdempotencyEngine {
  const submit = (operation: string, claim: Claim, fields: ClaimOperation) => {
    return batchers.submit(claim.keyId, { operation, ...columnsOf(claim), ...fields });
  };

  return {
    async claim(request) {
      const answer = await submit('claim', request, { until_ms: request.expiresAtMs });
      return readClaim(answer as ClaimedAnswer);
    },
    async complete(claim, { status, body }, keepUntilMs) {
      // As JSON once more: a PostgreSQL text has no NUL and no half of a surrogate pair, a JSON text spells both out.
      return (await submit('complete', claim, { status, body: JSON.stringify(body), until_ms: keepUntilMs })) === true;
    },
    async free(claim) {
      return (await submit('free', claim, { token: randomUUID() })) === true;
    },
    erase: (organizationId) =>
      eraseSlices(write, 'erase_claims', { organizationId, afterKey: '', afterName: '', most: MAX_ERASED }),
  };
}

/** How many names are looked at in one transaction. */
const MAX_ERASED = 1_000;

function readClaim(answer: ClaimedAnswer): ClaimResult {
  if (answer.status !== 'finished') return { status: answer.status };
  return { status: 'finished', response: { status: answer.responseStatus, body: JSON.parse(answer.body) as string } };
}
