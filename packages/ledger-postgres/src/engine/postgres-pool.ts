/** What is used of a `pg.Pool`: the host's own, which the ledger neither configures nor ends. */
export interface PostgresPool {
  /** Waits for a client, as long as the pool is configured to. */
  connect(): Promise<PostgresClient>;
}

/** What is used of a client checked out of the pool. */
export interface PostgresClient {
  /** Rejects with an error that has the SQLSTATE as its `code`. */
  query(query: PostgresQuery): Promise<PostgresRows>;
  /** Gives the client back; with an error or `true`, the pool ends its connection. */
  release(error?: Error | boolean): void;
  /** The pool does not listen to a client that is checked out, so the ledger does. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Before the client is given back. */
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

/** A statement and its parameters. */
export interface PostgresQuery {
  /** Of a prepared statement. */
  readonly name?: string;
  /** With `$1`, `$2`, … for the values. */
  readonly text: string;
  /** Default: none. */
  readonly values?: unknown[];
}

/** The result of a statement. */
export interface PostgresRows {
  /** By the names of their columns; empty for a statement that returns none. */
  readonly rows: Record<string, unknown>[];
}
