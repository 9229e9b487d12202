import type { Drive } from './load-generator.js';
import { ORGANIZATION } from './servers/settings.js';
import type { Server, Stage, TargetId } from './stage.js';
import { EXA_COST_USD } from './upstream/exa-reply.js';

/** As in most load tests of gateways; enough to keep every server busy. */
export const CONNECTIONS = 64;
const MICROS_PER_SECOND = 1e6;
const NANOS_PER_USD = 1e9;
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

/** Sends requests as fast as the server answers. The CPU time is read while the server is idle, before and after, so it belongs only to the counted requests. */
export async function driveAnswers(
  stage: Stage,
  server: Server,
  { settleMs, durationMs }: Omit<Drives, 'rounds'>,
): Promise<Sample> {
  const { port, request, child } = server;
  const run = async (lengthMs: number): Promise<Drive> => {
    const wanted = server.rate === null ? FIRST_AMOUNT : Math.round((server.rate * lengthMs) / 1_000);
    const amount = Math.max(2 * CONNECTIONS, wanted);
    const drive = await stage.generator.call.closedLoop({ port, connections: CONNECTIONS, request: request(), amount });
    server.rate = drive.requestsPerSecond;
    return drive;
  };
  await run(settleMs);
  return proven(stage, server, async () => {
    const before = await child.call.state();
    const { seconds, ...figures } = await run(durationMs);
    const { cpuMicros, rssBytes } = await child.call.state();
    const used = cpuMicros - before.cpuMicros;
    const serverCpu = used / MICROS_PER_SECOND / seconds;
    return { ...figures, cpuMicros: used / figures.completed, serverCpu, rssBytes };
  });
}

/** @throws Error unless every answer of `run` caused exactly one request at the upstream, and one charge in a durable ledger. */
export async function proven<Result extends { readonly completed: number }>(
  { upstream }: Stage,
  { target, books }: Server,
  run: () => Promise<Result>,
): Promise<Result> {
  const count = async () => [await upstream.call.served(), (await books?.call.charged(ORGANIZATION)) ?? 0n] as const;
  const before = await count();
  const result = await run();
  const after = await count();
  const [served, charged] = [after[0] - before[0], after[1] - before[1]];
  if (served !== result.completed)
    throw new Error(`${target.name}: ${result.completed} answers, but ${served} requests reached the upstream`);
  const cost = BigInt(served) * BigInt(EXA_COST_USD * NANOS_PER_USD);
  if (books !== undefined && charged !== cost)
    throw new Error(`${target.name}: ${served} answers cost ${cost} nanodollars, but ${charged} were charged`);
  return result;
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
