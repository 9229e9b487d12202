import type { PostgresPool, PostgresQuery, PostgresRows } from '../src/index.js';

/** What happens to the next statements: they run, are lost on their way, or run and their answer is lost. */
export type Loss = 'request' | 'answer';

export interface LossyPool extends PostgresPool {
  /** Lets the next statements of this operation meet these losses, one each; then all is well again. */
  lose(operation: string, losses: readonly Loss[]): void;
  /** How many losses no statement has met yet. */
  readonly pending: number;
  /** How many statements were sent, lost ones too. */
  readonly sent: number;
}

/** A pool whose connections break at chosen moments, in the way the driver reports it. */
export function lossyPool(pool: PostgresPool): LossyPool {
  let operation = '';
  let losses: Loss[] = [];
  let sent = 0;

  async function send(
    query: PostgresQuery,
    run: (query: PostgresQuery) => Promise<PostgresRows>,
  ): Promise<PostgresRows> {
    sent += 1;
    const loss = query.values?.[0] === operation ? losses.shift() : undefined;
    if (loss === 'request') throw brokenConnection();
    const rows = await run(query);
    if (loss === 'answer') throw brokenConnection();
    return rows;
  }

  return {
    async connect() {
      const client = await pool.connect();
      return {
        query: (query) => send(query, (sound) => client.query(sound)),
        release: (error) => client.release(error),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
      };
    },
    lose(ofOperation, nextLosses) {
      operation = ofOperation;
      losses = [...nextLosses];
    },
    get pending() {
      return losses.length;
    },
    get sent() {
      return sent;
    },
  };
}

function brokenConnection(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}
