import type { SqliteDatabase, SqliteStatement } from './sqlite-database.js';

/** What is bound and read. Whole numbers are always bigints, since better-sqlite3 would bind a number as a REAL; numbers are for columns that are REAL. */
export type SqliteValue = string | bigint | number | Uint8Array | null;

/** A statement that is prepared once per handle and reads whole numbers as bigints. `R` is the shape of its rows. */
interface Statement<R> {
  /** @returns how many rows were changed. */
  run(...parameters: SqliteValue[]): number;
  get(...parameters: SqliteValue[]): R | undefined;
  all(...parameters: SqliteValue[]): R[];
}

/** The host's handle, as the rest of this package uses it. Everything is synchronous: while it runs, the host's event loop waits. */
export interface Connection {
  exec(sql: string): void;
  /** Rows may carry more than their columns (libsql adds `_metadata`): pick, never spread them. */
  statement<R>(sql: string): Statement<R>;
  /** The same for what every call reads: rows are arrays in the order of their columns, which drivers make in less time. They may be longer than that. */
  tuples<R extends readonly SqliteValue[] = readonly SqliteValue[]>(sql: string): Statement<R>;
  /** All of it or nothing, while no other handle of any process writes. What throws, or cannot be committed, is undone. */
  transact<T>(work: () => T): T;
  /** What `work` reads is of one moment. */
  snapshot<T>(work: () => T): T;
}

/**
 * How long SQLite itself may wait for another process's transaction. The event loop stands still for that time, so an operation that finds
 * the database busy for longer comes back from a timer.
 */
const ENGINE_BUSY_TIMEOUT_MS = 4;

export function createConnection(database: SqliteDatabase): Connection {
  const statements = new Map<string, Statement<unknown>>();
  const tupleStatements = new Map<string, Statement<unknown>>();
  let ready = false;

  /** Settings of the handle, made when it is first used. WAL is a property of the file and outlives it. */
  function prepareHandle(): void {
    database.exec(`PRAGMA busy_timeout = ${ENGINE_BUSY_TIMEOUT_MS}`);
    const { journal_mode: mode } = database.prepare('PRAGMA journal_mode = WAL').get() as { journal_mode: string };
    if (mode !== 'wal' && mode !== 'memory') {
      throw new Error(`the SQLite database cannot be put into WAL mode: its journal_mode stays "${mode}"`);
    }
    database.exec('PRAGMA synchronous = FULL');
    // What is erased must not stay in free pages of the file.
    database.exec('PRAGMA secure_delete = ON');
    ready = true;
  }

  function prepared(known: Map<string, Statement<unknown>>, sql: string, make: MakeStatement): Statement<unknown> {
    let statement = known.get(sql);
    if (statement === undefined) {
      statement = make(readExactly(database.prepare(sql)));
      known.set(sql, statement);
    }
    return statement;
  }

  function exec(sql: string): void {
    if (!ready) prepareHandle();
    database.exec(sql);
  }

  // Not as prepared statements: libsql leaves one that was refused as busy unfinished, and then nothing can be committed any more.
  function within<T>(begin: string, work: () => T): T {
    exec(begin);
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  /** After some errors SQLite has rolled back of itself, and there is nothing left to undo. The first error is what matters. */
  function rollBack(): void {
    try {
      database.exec('ROLLBACK');
    } catch {
      // See above.
    }
  }

  return {
    exec,
    statement: <R>(sql: string) => prepared(statements, sql, wrap) as Statement<R>,
    tuples: <R>(sql: string) => prepared(tupleStatements, sql, wrapTuples) as Statement<R>,
    transact: (work) => within('BEGIN IMMEDIATE', work),
    snapshot: (work) => within('BEGIN', work),
  };
}

/** Whether a driver can read 64-bit integers exactly, which is by a method of its statements. */
export function readsExactly(statement: SqliteStatement): boolean {
  return [statement.setReadBigInts, statement.safeIntegers].some((method) => typeof method === 'function');
}

function readExactly(statement: SqliteStatement): SqliteStatement {
  if (statement.setReadBigInts === undefined) statement.safeIntegers?.(true);
  else statement.setReadBigInts(true);
  return statement;
}

/** A statement as drivers really take it. */
interface BoundStatement {
  run(...parameters: readonly SqliteValue[]): { readonly changes: number | bigint };
  get(...parameters: readonly SqliteValue[]): unknown;
  all(...parameters: readonly SqliteValue[]): unknown[];
}

type MakeStatement = (prepared: SqliteStatement) => Statement<unknown>;

/** Where a driver gives no arrays they are made of its objects, whose properties are in the order of the columns. */
function wrapTuples(prepared: SqliteStatement): Statement<unknown> {
  const givesArrays = prepared.raw !== undefined || prepared.setReturnArrays !== undefined;
  if (prepared.raw === undefined) prepared.setReturnArrays?.(true);
  else prepared.raw(true);
  const statement = wrap(prepared);
  if (givesArrays) return statement;
  const tupleOf = (row: unknown) => row && Object.values(row);
  return {
    run: statement.run,
    get: (...parameters) => tupleOf(statement.get(...parameters)),
    all: (...parameters) => statement.all(...parameters).map(tupleOf),
  };
}

function wrap(prepared: SqliteStatement): Statement<unknown> {
  const statement = prepared as unknown as BoundStatement;
  return {
    run: (...parameters) => Number(statement.run(...parameters).changes),
    get: (...parameters) => statement.get(...parameters),
    all: (...parameters) => statement.all(...parameters),
  };
}
