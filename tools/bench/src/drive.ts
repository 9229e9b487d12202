import type { Drive } from './load-generator.js';
import { answerRequest } from './requests.js';
import type { Server, Stage, TargetId } from './stage.js';

/** As in most load tests of gateways; enough to keep every server busy. */
export const CONNECTIONS = 64;
const MICROS_PER_SECOND = 1e6;
const FIRST_AMOUNT = 10 * CONNECTIONS;

export interface Sample extends Omit<Drive, 'seconds'> {
  /** User and system time of the server's own process, all its threads. */
  readonly cpuMicros: number;
  /** Share of one core used by the server; near 1 or above if it was the bottleneck. */
  readonly serverCpu: number;
  readonly rssBytes: number;
}

/** In each of `rounds` rounds, every server is driven for `settleMs` unmeasured and for about `durationMs` measured. */
export interface Drives {
  readonly rounds: number;
  readonly settleMs: number;
  readonly durationMs: number;
}

/**
 * Sends requests as fast as the server answers. The CPU time is read while the server is idle, before and after, so it belongs only to the counted
 * requests. @throws Error unless every answer caused exactly one request at the upstream.
 */
export async function driveAnswers(
  { upstream, generator }: Stage,
  server: Server,
  { settleMs, durationMs }: Omit<Drives, 'rounds'>,
): Promise<Sample> {
  const run = async (lengthMs: number): Promise<Drive> => {
    const wanted = server.rate === null ? FIRST_AMOUNT : Math.round((server.rate * lengthMs) / 1_000);
    const amount = Math.max(2 * CONNECTIONS, wanted);
    const load = { port: server.port, connections: CONNECTIONS, request: answerRequest(), amount };
    const drive = await generator.call.closedLoop(load);
    server.rate = drive.requestsPerSecond;
    return drive;
  };
  await run(settleMs);
  const { child, target } = server;
  const servedBefore = await upstream.call.served();
  const before = await child.call.state();
  const { seconds, ...figures } = await run(durationMs);
  const { cpuMicros, rssBytes } = await child.call.state();
  const served = (await upstream.call.served()) - servedBefore;
  if (served !== figures.completed)
    throw new Error(`${target.name}: ${figures.completed} answers, but ${served} requests reached the upstream`);
  const used = cpuMicros - before.cpuMicros;
  const serverCpu = used / MICROS_PER_SECOND / seconds;
  return { ...figures, cpuMicros: used / figures.completed, serverCpu, rssBytes };
}

/** One value per server and round. Round n of each server ran next to round n of every other. */
export type Rounds<Value> = Readonly<Partial<Record<TargetId, readonly Value[]>>>;

/** Measures every server once per round, A B C A B C …, so that slow moments of the machine affect all. */
export async function inTurns<Value>(
  servers: readonly Server[],
  rounds: number,
  take: (server: Server) => Promise<Value>,
): Promise<Rounds<Value>> {
  const results = new Map<TargetId, Value[]>(servers.map(({ target }) => [target.id, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const server of servers) results.get(server.target.id)?.push(await take(server));
  }
  return Object.fromEntries(results);
}
