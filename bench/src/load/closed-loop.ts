import type { Connection } from './connection.js';
import type { Tally } from './tally.js';

/** Keeps one request under way on every connection for `durationMs`, then waits for the last replies. */
export async function closedLoop(
  connections: readonly Connection[],
  requests: readonly Buffer[],
  { durationMs, tally }: { durationMs: number; tally: Tally },
) {
  const endMs = performance.now() + durationMs;
  let sent = 0;

  function drive(connection: Connection, done: () => void): void {
    const sentAtMs = performance.now();
    const request = requests[sent++ % requests.length];
    if (request === undefined) throw new Error('there is no request to send');
    connection.send(request, (status) => {
      const nowMs = performance.now();
      tally.reply(status, nowMs - sentAtMs);
      if (status === 0 || nowMs >= endMs) done();
      else drive(connection, done);
    });
  }

  await Promise.all(connections.map((connection) => new Promise<void>((resolve) => drive(connection, resolve))));
}
