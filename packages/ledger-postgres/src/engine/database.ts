import { createHash } from 'node:crypto';
import { LedgerError } from '@searchgate/core';
import type { PostgresLedgerConfig } from '../postgres-ledger-options.js';
import type { PostgresClient, PostgresPool } from '../postgres-pool.js';
import { SCHEMA_VERSION } from '../schema/migrations.js';
import { codeOf, isTransient } from './is-transient.js';
import { withRetries } from './with-retries.js';

/** The host's PostgreSQL as the ledger's parts see it. */
export interface Database {
  /** The schema's name, quoted. */
  readonly schema: string;
  /**
   * Runs one statement and returns its one column `json`, parsed; amounts are texts in it. Everything travels as JSON text, so that nothing
   * depends on how the host has set up its driver's type parsers. A statement that fails for a reason that passes is sent again, so it must be
   * one that may be repeated.
   *
   * @param statement what follows `WITH present AS (…)`: ` SELECT … AS json` or `, name AS (…) SELECT … AS json`.
   * @throws LedgerError `schema_mismatch`; else the engine's own error.
   */
  ask<T>(statement: string, values?: ReadValues): Promise<T | undefined>;
  /** The same for a statement that gives many rows. */
  askAll<T>(statement: string, values?: ReadValues): Promise<T[]>;
  /** Runs several statements in one transaction on one connection. @param begin such as `BEGIN READ ONLY`. */
  transaction<T>(begin: string, body: (run: RunStatement) => Promise<T>): Promise<T>;
  /** @throws LedgerError `ledger_closed`. */
  checkOpen(): void;
  /** Lets {@link checkOpen} throw from now on; what is under way goes on. */
  close(): void;
}

/** Called each time a statement is sent, with a connection at hand: what it says of the present moment is not older than that. */
type ReadValues = () => readonly unknown[];

export type RunStatement = (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

/** Errors of a schema that is not ours to use: no such schema, table, column or function. */
const MISSING_CODES: ReadonlySet<string> = new Set(['3F000', '42P01', '42703', '42883', '42704']);

export function createDatabase({ pool, schema, prepareStatements }: PostgresLedgerConfig): Database {
  const quoted = `"${schema}"`;
  // Only a schema of our version has a view of this name, so a wrong one is found out by every statement and costs none of them anything.
  const present = `WITH present AS (SELECT FROM ${quoted}.version_${SCHEMA_VERSION})`;
  const names = new Map<string, string>();
  let open = true;

  function prepare(statement: string): { readonly name?: string; readonly text: string } {
    const text = present + statement;
    if (!prepareStatements) return { text };
    let name = names.get(statement);
    if (name === undefined) {
      name = `searchgate_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
      names.set(statement, name);
    }
    return { name, text };
  }

  async function askAll<T>(statement: string, values: ReadValues = () => []): Promise<T[]> {
    const prepared = prepare(statement);
    const send = (client: PostgresClient) => client.query({ ...prepared, values: [...values()] });
    const { rows } = await withRetries(() => withClient(pool, send), isTransient).catch(tellMismatch);
    return rows.map(({ json }) => JSON.parse(String(json)) as T);
  }

  return {
    schema: quoted,
    ask: async (statement, values) => (await askAll(statement, values))[0] as never,
    askAll,
    transaction(begin, body) {
      const inTransaction = (client: PostgresClient) => runTransaction(client, begin, body);
      return withRetries(() => withClient(pool, inTransaction), isTransient);
    },
    checkOpen() {
      if (!open) throw new LedgerError('ledger_closed', 'the ledger has been closed');
    },
    close() {
      open = false;
    },
  };
}

async function withClient<T>(pool: PostgresPool, use: (client: PostgresClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // While a client is checked out, nobody else listens: without this, a connection lost between two statements would end the process.
  client.on('error', ignore);
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

async function runTransaction<T>(
  client: PostgresClient,
  begin: string,
  body: (run: RunStatement) => Promise<T>,
): Promise<T> {
  await client.query({ text: begin });
  const result = await body(async (text, values = []) => (await client.query({ text, values: [...values] })).rows);
  await client.query({ text: 'COMMIT' });
  return result;
}

function ignore(): void {}

/** Throws what an error means: that the schema is not ours, or itself. */
export function tellMismatch(error: unknown): never {
  if (error instanceof Error && MISSING_CODES.has(codeOf(error) ?? '')) {
    const expected = `expected version ${SCHEMA_VERSION} of this package's schema (${error.message})`;
    throw new LedgerError('schema_mismatch', `${expected}: run migrate(), or the package that migrated it`);
  }
  throw error;
}
