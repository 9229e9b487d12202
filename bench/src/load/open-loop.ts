import type { Connection } from './connection.js';
import type { Tally } from './tally.js';

export interface OpenLoop {
  readonly requestsPerSecond: number;
  readonly durationMs: number;
  readonly tally: Tally;
}

/** Closer to its time than this, a request is waited for by spinning: timers are only good to a millisecond or two. */
const SPIN_MS = 1.5;
/** A server that falls this far behind cannot keep the rate. */
const MAX_BACKLOG_MS = 2_000;

/**
 * Sends at a fixed rate, whether replies come or not, and counts each latency from the time the request was MEANT to be sent: a server that
 * stalls is charged for every request its stall delayed. Requests beyond the connections wait, with their time running.
 */
export async function openLoop(
  connections: readonly Connection[],
  requests: readonly Buffer[],
  load: OpenLoop,
): Promise<void> {
  const { requestsPerSecond, durationMs, tally } = load;
  const total = Math.round((requestsPerSecond * durationMs) / 1_000);
  const startMs = performance.now();
  const dueMs = (index: number) => startMs + (index * 1_000) / requestsPerSecond;
  const idle = [...connections];
  let next = 0;
  let completed = 0;

  await new Promise<void>((resolve, reject) => {
    function send(connection: Connection): void {
      const dueAtMs = dueMs(next);
      const request = requests[next++ % requests.length];
      if (request === undefined) throw new Error('there is no request to send');
      connection.send(request, (status) => {
        tally.reply(status, performance.now() - dueAtMs);
        if (status === 0) {
          reject(new Error('a connection broke'));
          return;
        }
        completed += 1;
        if (completed === total) resolve();
        else if (next < total && dueMs(next) <= performance.now()) send(connection);
        else idle.push(connection);
      });
      tally.sent(performance.now() - dueAtMs);
    }

    function tick(): void {
      while (next < total && dueMs(next) <= performance.now()) {
        const connection = idle.pop();
        if (connection === undefined) break;
        send(connection);
      }
      if (next === total) return;
      const waitMs = dueMs(next) - performance.now();
      if (-waitMs > MAX_BACKLOG_MS) {
        reject(new Error(`the server cannot keep ${requestsPerSecond} requests per second`));
        return;
      }
      if (waitMs > SPIN_MS || waitMs < 0) setTimeout(tick, Math.max(1, waitMs - SPIN_MS));
      else setImmediate(tick);
    }

    tick();
  });
}
