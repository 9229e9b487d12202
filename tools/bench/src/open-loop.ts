import { inTurns, proven } from './drive.js';
import { present, section, table, withSpread } from './report.js';
import { type HttpRequest, upstreamRequest } from './requests.js';
import type { Server, Stage } from './stage.js';
import { figureOf } from './statistics.js';

const PER_SECOND = 300;
const HEAD = ['server', 'added p50 ms', 'added p99 ms'];
const TEXT = `${PER_SECOND} requests a second at fixed times, whether or not earlier replies came. A latency counts from the planned time. "Added" is what the server adds to the latency of asking the provider directly, just before, at the same rate; the provider answers at once.`;

interface Added {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

type Drive = (port: number, request: HttpRequest) => Promise<Added & { readonly completed: number }>;

/** At a fixed rate, as callers ask who do not wait for each other: the latency a server adds. */
export async function measureOpenLoop(
  stage: Stage,
  { rounds, durationMs }: { readonly rounds: number; readonly durationMs: number },
): Promise<string> {
  const drive: Drive = (port, request) =>
    stage.generator.call.openLoop({ port, request, perSecond: PER_SECOND, durationMs });
  return section('Open loop', TEXT, await tableOfAdded(stage, rounds, drive));
}

/** One request after the other: the latency a server adds without any load. */
export async function measureOneConnection(
  stage: Stage,
  { rounds, amount }: { readonly rounds: number; readonly amount: number },
): Promise<string> {
  const drive: Drive = (port, request) => stage.generator.call.closedLoop({ port, request, connections: 1, amount });
  const text = `${amount} requests on one connection, each after the reply to the last. "Added" as below "Open loop".`;
  return section('One connection', text, await tableOfAdded(stage, rounds, drive));
}

async function tableOfAdded(stage: Stage, turns: number, drive: Drive): Promise<string> {
  const take = async (server: Server): Promise<Added> => {
    const direct = await drive(Number(stage.upstream.ready), upstreamRequest());
    const own = await proven(stage, server, () => drive(server.port, server.request()));
    return { p50Ms: own.p50Ms - direct.p50Ms, p99Ms: own.p99Ms - direct.p99Ms };
  };
  const rows = present(await inTurns(stage.servers, turns, take)).map(([{ name }, own]) => [
    name,
    withSpread(figureOf(own, ({ p50Ms }) => p50Ms)),
    withSpread(figureOf(own, ({ p99Ms }) => p99Ms)),
  ]);
  return table(HEAD, rows);
}
