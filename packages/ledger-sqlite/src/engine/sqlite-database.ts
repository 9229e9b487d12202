/**
 * An open handle of a synchronous SQLite driver: `new Database(file)` of libsql 0.5 or better-sqlite3 12 and 13, or `new DatabaseSync(file)`
 * of `node:sqlite`. The host opens it and closes it, after the ledger.
 */
export interface SqliteDatabase {
  /** Runs statements without parameters and results. */
  exec(sql: string): unknown;
  /** Compiles a statement, which is then used again and again. */
  prepare(sql: string): SqliteStatement;
}

/**
 * A prepared statement of such a driver, with positional parameters: texts, bigints, bytes and `null`. (Drivers declare them so differently that here they
 * are `never`, which all of them fit.)
 */
export interface SqliteStatement {
  /** Runs a statement without rows. */
  run(...parameters: never[]): unknown;
  /** The first row; `undefined` for none. */
  get(...parameters: never[]): unknown;
  /** All rows. */
  all(...parameters: never[]): unknown[];
  /** libsql and better-sqlite3: reads whole numbers as bigints. */
  safeIntegers?(toggle?: boolean): unknown;
  /** `node:sqlite`: the same. */
  setReadBigInts?(enabled: boolean): unknown;
  /** libsql and better-sqlite3: gives rows as arrays, which is faster. */
  raw?(toggle?: boolean): unknown;
  /** `node:sqlite` of Node 22.16 and later: the same. */
  setReturnArrays?(enabled: boolean): unknown;
}
