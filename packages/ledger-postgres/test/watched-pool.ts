import type { PostgresPool, PostgresQuery, PostgresRows } from '../src/index.js';

type Run = (query: PostgresQuery) => Promise<PostgresRows>;

/** A pool whose statements go through `send`, which may run them. */
export function poolThrough(pool: PostgresPool, send: (query: PostgresQuery, run: Run) => Promise<PostgresRows>) {
  const through: PostgresPool = {
    async connect() {
      const client = await pool.connect();
      return {
        query: (query) => send(query, (given) => client.query(given)),
        release: (error) => client.release(error),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
  };
  return through;
}

/** Tells which statements are sent with a name and which without, and what fails. @param onFailure awaited before the failure is passed on. */
export function watchedPool(pool: PostgresPool, onFailure: (code: unknown) => Promise<unknown> = async () => {}) {
  const sent: ('named' | 'unnamed')[] = [];
  const failures: unknown[] = [];
  const watched = poolThrough(pool, (query, run) => {
    sent.push(query.name === undefined ? 'unnamed' : 'named');
    return run(query).catch(async (error: { code?: unknown }) => {
      failures.push(error.code);
      await onFailure(error.code);
      throw error;
    });
  });
  return { pool: watched, sent, failures };
}
