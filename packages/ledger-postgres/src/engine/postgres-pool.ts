/** What is used of a `pg.Pool`: the host's own, which the ledger neither configures nor ends. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
}

/** What is used of a client checked out of the pool. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresRows>;
  release(error?: Error | boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  removeListener(event: 'error', listener: (error: Error) => void): unknown;
}

export interface PostgresQuery {
  /** Of a prepared statement. */
  readonly name?: string;
  readonly text: string;
  readonly values?: unknown[];
}

export interface PostgresRows {
  readonly rows: Record<string, unknown>[];
}
