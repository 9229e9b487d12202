import { type RetryOptions, retry, systemClock } from '@searchgate/core/ledger';
import type { PostgresLedgerConfig } from '../postgres-ledger-options.js';
import { SCHEMA_VERSION } from '../schema/migrations.js';
import { latestState, schemaMismatch, stateOfRow } from '../schema/schema-state.js';
import { checkOut } from './check-out.js';
import { codeOf, isTransient } from './is-transient.js';
import type { PostgresClient, PostgresPool } from './postgres-pool.js';
import { createStatements } from './statements.js';

/**
 * The host's PostgreSQL as the ledger's parts see it. All work is done by functions of the schema, each in one statement that is a transaction by
 * itself: nothing depends on settings of the session. Everything travels as JSON text, with amounts as texts in it, so that nothing depends on
 * how the host has set up its driver's type parsers.
 */
export interface Database {
  /** The schema's name, quoted. */
  readonly schema: string;
  /**
   * What a function of the schema that changes nothing answers; `undefined` for null. It is sent again after a transient error.
   * @throws LedgerError `schema_mismatch`; else the engine's own error.
   */
  read<T>(name: string, values: ReadValues): Promise<T | undefined>;
  /**
   * The same for an operation of `apply_write`. It may be applied more than once, so it must recognize its own work.
   * @param argument sent as JSON.
   */
  write<T>(operation: string, argument: unknown): Promise<T | undefined>;
  /** Runs several statements in one transaction on one connection. @param begin such as `BEGIN READ ONLY`. */
  transaction<T>(begin: string, body: (run: RunStatement) => Promise<T>): Promise<T>;
  /** Throws what an error of a statement means: that the schema does not serve this version, or itself. */
  rethrow(error: unknown): Promise<never>;
  /** What the injected clock says; `null` where the server's own clock rules. */
  givenNow(): number | null;
}

/** Called each time a statement is sent, with a connection at hand: what it says of the present moment is not older than that. */
type ReadValues = () => readonly unknown[];

export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Errors of a schema that is not ours to use: no such schema, table, column, function or version. */
const MISSING_CODES: ReadonlySet<string> = new Set(['3F000', '42P01', '42703', '42883', '42704']);

/** At most six more attempts within about two seconds. */
const RETRIES: RetryOptions = {
  backoff: { firstDelayMs: 8, factor: 3, longestDelayMs: 1_500 },
  maxAttempts: 7,
  isTransient,
  clock: systemClock,
};

export function createDatabase({ pool, schema, prepareStatements, clock }: PostgresLedgerConfig): Database {
  const quoted = `"${schema}"`;
  const statements = createStatements(prepareStatements);
  // The two times most functions of the schema take: what the injected clock says, and what this process believes. Exactly one is given. By the
  // second the server moves the times that came with it to its own clock, so it is read when a statement is sent.
  const clockParams = () => (clock === undefined ? ([null, Date.now()] as const) : ([clock.now(), null] as const));
  const applyWrite = `CALL ${quoted}.apply_write(${SCHEMA_VERSION}, $1, $2, $3, $4, NULL)`;

  async function ask<T>(text: string, values: ReadValues): Promise<T | undefined> {
    const send = (client: PostgresClient) => client.query({ ...statements.of(text), values: [...values()] });
    const attempt = async () => {
      try {
        return await withClient(pool, send);
      } catch (error) {
        if (!statements.giveUpNames(error)) throw error;
        return withClient(pool, send);
      }
    };
    const { rows } = await retry(attempt, RETRIES).catch(rethrow);
    const answer = rows[0]?.['answer'];
    return typeof answer === 'string' ? (JSON.parse(answer) as T) : undefined;
  }

  // A statement more, where an operation has failed: so no other pays for it.
  async function rethrow(error: unknown): Promise<never> {
    if (!(error instanceof Error) || !MISSING_CODES.has(codeOf(error) ?? '')) throw error;
    const look = withClient(pool, (client) => client.query({ text: latestState(quoted) })).catch(() => undefined);
    throw schemaMismatch(stateOfRow((await look)?.rows[0]), SCHEMA_VERSION, error.message);
  }

  return {
    schema: quoted,
    read(name, values) {
      const parameters = values().map((_, index) => `$${index + 1}`);
      // Only a schema that serves our version has a view of this name, so a wrong one is found out by every statement and costs none of them anything.
      const text = `SELECT ${quoted}.${name}(${parameters.join(', ')})::text AS answer FROM ${quoted}.version_${SCHEMA_VERSION}`;
      return ask(text, values);
    },
    write(operation, argument) {
      const json = JSON.stringify(argument);
      return ask(applyWrite, () => [operation, json, ...clockParams()]);
    },
    transaction(begin, body) {
      const inTransaction = async (client: PostgresClient) => {
        const run: RunStatement = async (text, values = []) => (await client.query({ text, values: [...values] })).rows;
        await run(begin);
        const result = await body(run);
        await run('COMMIT');
        return result;
      };
      return retry(() => withClient(pool, inTransaction), RETRIES);
    },
    rethrow,
    givenNow: () => clockParams()[0],
  };
}

async function withClient<T>(pool: PostgresPool, use: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await checkOut(pool, ignore);
  let failed = true;
  try {
    const result = await use(client);
    failed = false;
    return result;
  } finally {
    client.removeListener('error', ignore);
    // A connection on which something failed is thrown away: it may be dead, or in the middle of a transaction.
    client.release(failed);
  }
}

function ignore(): void {}
