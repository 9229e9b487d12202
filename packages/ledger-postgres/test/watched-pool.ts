import type { PostgresPool } from '../src/index.js';

/** Tells which statements are sent with a name and which without, and what fails. @param onFailure awaited before the failure is passed on. */
export function watchedPool(pool: PostgresPool, onFailure: (code: unknown) => Promise<unknown> = async () => {}) {
  const sent: ('named' | 'unnamed')[] = [];
  const failures: unknown[] = [];
  const watched: PostgresPool = {
    async connect() {
      const client = await pool.connect();
      return {
        async query(query) {
          sent.push(query.name === undefined ? 'unnamed' : 'named');
          return client.query(query).catch(async (error: { code?: unknown }) => {
            failures.push(error.code);
            await onFailure(error.code);
            throw error;
          });
        },
        release: (error) => client.release(error),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
  };
  return { pool: watched, sent, failures };
}
