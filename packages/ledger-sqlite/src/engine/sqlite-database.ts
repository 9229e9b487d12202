/**
 * An open handle of a synchronous SQLite driver: `new Database(file)` of libsql 0.5 or better-sqlite3 12 and 13, or `new DatabaseSync(file)`
 * of `node:sqlite`. The host opens it and closes it, after the ledger.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/**
 * A prepared statement of such a driver, with positional parameters: texts, bigints, bytes and `null`. (Drivers declare them so differently that here they
 * are `never`, which all of them fit.)
 */
export interface SqliteStatement {
  run(...parameters: never[]): unknown;
  get(...parameters: never[]): unknown;
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
