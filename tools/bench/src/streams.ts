import { setTimeout } from 'node:timers/promises';
import { inTurns } from './drive.js';
import { median, present, section, table, withSpread } from './report.js';
import { type HttpRequest, upstreamRequest } from './requests.js';
import type { Server, Stage } from './stage.js';
import { figureOf, ratioOf } from './statistics.js';
import { DELTAS_PER_SECOND } from './upstream/exa-stream.js';

const FEW = 100;
const MANY = 1_000;
/** Of 1,000 streams the peer did not keep up on two cores: one round took minutes (2026-11-27). */
const MANY_OF_PEER = 300;
const WARM_UP_MS = 300;
const STREAM = { stream: true };
const HEAD = ['server', 'first event: p50 ms', 'CPU µs/delta', '× same host', 'event-loop delay p99 ms', 'kB/stream'];
const TEXT = `Streams of ${DELTAS_PER_SECOND} deltas per second, each of about 20 characters. "First event" is how much later than from the provider directly the first text comes, with ${FEW} streams. Everything else is measured while ${MANY} streams are open, of the peer ${MANY_OF_PEER}. "kB/stream" is what an open stream adds to heap and buffers after a collection of garbage.`;

interface StreamSample {
  readonly addedMs: number;
  readonly cpuMicros: number;
  readonly eventLoopMs: number;
  readonly kilobytes: number;
}

const cpu = ({ cpuMicros }: StreamSample): number => cpuMicros;

/** Measures open streams: delay of text, cost of a part, memory of a stream. */
export async function measureStreams(
  stage: Stage,
  { rounds: turns, windowMs }: { readonly rounds: number; readonly windowMs: number },
): Promise<string> {
  const take = async (server: Server): Promise<StreamSample> => {
    const directMs = await firstEventMs(stage, Number(stage.upstream.ready), upstreamRequest(true), 1);
    const firstMs = await firstEventMs(stage, server.port, server.request(STREAM), timesOf(server));
    return { addedMs: firstMs - directMs, ...(await manyStreams(stage, server, windowMs)) };
  };
  // A delta does not touch the ledger, and the other clients forward no streams.
  const servers = stage.servers.filter(({ target }) => target.ledger === undefined && target.client === undefined);
  // The first run includes connections and compilation, so it is not measured.
  await inTurns(servers, 1, (server) => manyStreams(stage, server, WARM_UP_MS));
  const rounds = await inTurns(servers, turns, take);
  const rows = present(rounds).map(([{ name, host }, own]) => [
    name,
    withSpread(figureOf(own, ({ addedMs }) => addedMs)),
    median(own, cpu),
    withSpread(ratioOf(own, rounds[host] ?? [], cpu)),
    withSpread(figureOf(own, ({ eventLoopMs }) => eventLoopMs)),
    median(own, ({ kilobytes }) => kilobytes),
  ]);
  return section('Streams', TEXT, table(HEAD, rows));
}

/** How often the client gets the text: as parts, and except from the peer whole at the end. */
function timesOf({ target }: Server): number {
  return target.kind === 'portkey' ? 1 : 2;
}

/** @param times how often the client gets the text. */
async function firstEventMs(stage: Stage, port: number, request: HttpRequest, times: number): Promise<number> {
  const { p50Ms } = await stage.generator.call.openStreams({ port, streams: FEW, request });
  await endStreams(stage, times);
  return p50Ms;
}

/** Measuring costs the server CPU, so each figure is measured separately. */
async function manyStreams(stage: Stage, server: Server, windowMs: number) {
  const { port, request, child, target } = server;
  const streams = target.kind === 'portkey' ? MANY_OF_PEER : MANY;
  const { generator } = stage;
  const closed = await child.call.heldBytes();
  await generator.call.openStreams({ port, streams, request: request(STREAM) });
  const [before, partsBefore] = [await child.call.state(), await generator.call.receivedParts()];
  await setTimeout(windowMs);
  const [after, partsAfter] = [await child.call.state(), await generator.call.receivedParts()];
  await child.call.startEventLoopMonitor();
  await setTimeout(windowMs);
  const eventLoopMs = await child.call.stopEventLoopMonitor();
  const kilobytes = ((await child.call.heldBytes()) - closed) / streams / 1_000;
  await endStreams(stage, timesOf(server));
  return { cpuMicros: (after.cpuMicros - before.cpuMicros) / (partsAfter - partsBefore), eventLoopMs, kilobytes };
}

/** Checks that all streams were complete. @throws Error for lost text. */
async function endStreams({ upstream, generator }: Stage, times: number): Promise<void> {
  const sent = await upstream.call.endStreams();
  const received = await generator.call.endStreams();
  if (received !== sent * times)
    throw new Error(`${sent} parts were streamed, but ${received} came instead of ${sent * times}`);
}
