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

/** At a fixed rate, as callers ask who do not wait for each other: the latency a server adds. */
export async function measureOpenLoop(
  stage: Stage,
  { rounds: turns, durationMs }: { readonly rounds: number; readonly durationMs: number },
): Promise<string> {
  const drive = (port: number, request: HttpRequest) =>
    stage.generator.call.openLoop({ port, request, perSecond: PER_SECOND, durationMs });
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
  return section('Open loop', TEXT, table(HEAD, rows));
}
