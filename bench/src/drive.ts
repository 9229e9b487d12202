import type { Drive, Load } from './load-generator.js';
import { answerRequest, type HttpRequest, modelsRequest } from './requests.js';
import type { Server, Stage, TargetId } from './stage.js';

/** As in most load tests of gateways; enough to keep every server here busy. */
export const CONNECTIONS = 64;
const MICROS_PER_SECOND = 1e6;
const FIRST_AMOUNT = 10 * CONNECTIONS;

export interface Sample extends Omit<Drive, 'seconds'> {
  /** User and system time of the server's own process, all its threads. */
  readonly cpuMicrosPerRequest: number;
  /** Share of one core that the server took; near 1 or above when it was the bottleneck. */
  readonly serverCpu: number;
  readonly rssBytes: number;
}

export interface Asked {
  /** Drives of the same name are taken to have the same rate. */
  readonly name: string;
  readonly requests: readonly HttpRequest[];
  /** Whether each answer must have caused exactly one request at the upstream. */
  readonly reachesUpstream: boolean;
  /** What every reply must have; default 200. */
  readonly status?: number;
}

export const ANSWERS: Asked = { name: 'answers', requests: [answerRequest()], reachesUpstream: true };
export const MODELS: Asked = { name: 'models', requests: [modelsRequest()], reachesUpstream: false };

/** `rounds` times round all servers, each driven for `settleMs` unmeasured and for about `durationMs` measured. */
export interface Drives {
  readonly rounds: number;
  readonly settleMs: number;
  readonly durationMs: number;
}

/** Closed loop: as fast as the server can. @throws Error when any reply is not as expected. */
export async function driveClosed(
  stage: Stage,
  server: Server,
  { asked, settleMs, durationMs }: Omit<Drives, 'rounds'> & { readonly asked: Asked },
): Promise<Sample> {
  const run = async (lengthMs: number): Promise<Drive> => {
    const rate = server.rates.get(asked.name);
    const amount = rate === undefined ? FIRST_AMOUNT : Math.max(2 * CONNECTIONS, Math.round((rate * lengthMs) / 1_000));
    const drive = await stage.generator.call.closedLoop({ ...loadOf(server, asked), amount });
    server.rates.set(asked.name, drive.requestsPerSecond);
    return drive;
  };
  if (settleMs > 0) await run(settleMs);
  return measure(stage, server, { asked, drive: () => run(durationMs) });
}

/** The CPU time is read while nothing is under way, before and after, so it belongs to the counted requests alone. */
export async function measure(
  { upstream }: Stage,
  { child, target }: Server,
  { asked, drive }: { readonly asked: Asked; readonly drive: () => Promise<Drive> },
): Promise<Sample> {
  const servedBefore = await upstream.call.served();
  const before = await child.call.state();
  const { seconds, ...figures } = await drive();
  const { cpuMicros, rssBytes } = await child.call.state();
  const served = (await upstream.call.served()) - servedBefore;
  if (asked.reachesUpstream && served !== figures.completed) {
    throw new Error(`${target.name}: ${figures.completed} answers, but ${served} requests reached the upstream`);
  }
  const used = cpuMicros - before.cpuMicros;
  const serverCpu = used / MICROS_PER_SECOND / seconds;
  return { ...figures, cpuMicrosPerRequest: used / figures.completed, serverCpu, rssBytes };
}

export function loadOf({ port }: Server, { requests, status }: Asked): Load {
  return { port, connections: CONNECTIONS, requests, status };
}

/** By server, one value per round. Round n of one server ran next to round n of every other. */
export type Rounds<Value> = Readonly<Partial<Record<TargetId, readonly Value[]>>>;

/** Measures every server once per round, A B C A B C …, so that slow times of the machine are in all of them. */
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
