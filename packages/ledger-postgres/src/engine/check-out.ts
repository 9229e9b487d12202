import type { PostgresClient, PostgresPool } from './postgres-pool.js';

type Callback = (error: Error | undefined, client: PostgresClient | undefined) => void;

/**
 * Takes a connection from a pool, with a listener for its errors: while a client is checked out, the pool does not listen, and an error that no one
 * listens for ends the process.
 *
 * By a callback, which pg's pool calls in the very moment in which it stops listening. A promise comes too late for a server that shuts down: its last
 * words to a new connection may be in the same piece as the first ones. A pool that only knows promises is asked by one.
 *
 * @param ignore the listener. The caller takes it away when it gives the connection back.
 */
export function checkOut(pool: PostgresPool, ignore: () => void): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const listenTo = (client: PostgresClient) => {
      client.on('error', ignore);
      resolve(client);
    };
    const connect = pool.connect.bind(pool) as (callback: Callback) => Promise<PostgresClient> | undefined;
    const promised = connect((error, client) => {
      if (client === undefined) reject(error ?? new Error('the pool gave no connection'));
      else listenTo(client);
    });
    promised?.then(listenTo, reject);
  });
}
