import { setTimeout } from 'node:timers/promises';
import { inTurns } from '../drive.js';
import {
  compare,
  type Goal,
  goal,
  type Measurement,
  median,
  present,
  section,
  short,
  table,
  withSpread,
} from '../report.js';
import { answerRequest, type HttpRequest, upstreamRequest } from '../requests.js';
import { GATEWAYS, type Server, type Stage } from '../stage.js';
import { differenceOf, figureOf, type Read, ratioOf } from '../statistics.js';
import type { FirstEvents } from '../stream-client.js';
import { DELTAS_PER_SECOND } from '../upstream/exa-stream.js';

const FEW = 100;
const MANY = 1_000;
const WARM_UP_MS = 300;
const BYTES_PER_KB = 1_000;
const MICROS_PER_MS = 1_000;
const MS_PER_SECOND = 1_000;
const HEAD = ['server', 'first event: p50 ms', 'p99 ms', 'CPU µs/delta', 'CPU × same host', 'deltas/s', 'CPU used'];
const TEXT = `Streams of ${DELTAS_PER_SECOND} deltas per second, each of about 20 characters. "First event" is how much later than from the provider directly the first text comes, with ${FEW} streams. Everything else is measured while ${MANY} streams are open. "kB/stream" is what an open stream adds to heap and buffers after a collection of garbage.`;

interface StreamSample {
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  readonly cpuMicrosPerDelta: number;
  readonly deltasPerSecond: number;
  readonly serverCpu: number;
  readonly eventLoopP99Ms: number;
  readonly bytesPerStream: number;
}

const cpu = ({ cpuMicrosPerDelta }: StreamSample): number => cpuMicrosPerDelta;
const kilobytes = ({ bytesPerStream }: StreamSample): number => bytesPerStream / BYTES_PER_KB;
const delay = ({ eventLoopP99Ms }: StreamSample): number => eventLoopP99Ms;
const p50 = ({ addedP50Ms }: StreamSample): number => addedP50Ms;

/** Streams that stay open: how late their text is, what a part of it costs, what an open stream takes. */
export const measureStreams: Measurement = async (stage, { streams: { rounds: turns, windowMs } }) => {
  const take = async (server: Server): Promise<StreamSample> => {
    const direct = await firstEvents(stage, Number(stage.upstream.ready), upstreamRequest(true), 1);
    const first = await firstEvents(stage, server.port, answerRequest(0, { stream: true }), 2);
    const [addedP50Ms, addedP99Ms] = [first.p50Ms - direct.p50Ms, first.p99Ms - direct.p99Ms];
    return { addedP50Ms, addedP99Ms, ...(await manyStreams(stage, server, windowMs)) };
  };
  // Connections and compiled code of the first time are no stream's.
  await inTurns(stage.servers, 1, (server) => manyStreams(stage, server, WARM_UP_MS));
  const rounds = await inTurns(stage.servers, turns, take);
  const rows = present(rounds).map(([{ name, host }, own]) => [
    name,
    withSpread(figureOf(own, p50)),
    median(own, ({ addedP99Ms }) => addedP99Ms),
    median(own, cpu),
    withSpread(ratioOf(own, rounds[host] ?? [], cpu)),
    median(own, ({ deltasPerSecond }) => deltasPerSecond),
    `${short(Math.round(100 * figureOf(own, ({ serverCpu }) => serverCpu).median))} %`,
    withSpread(figureOf(own, delay)),
    median(own, kilobytes),
  ]);
  const goals = GATEWAYS.flatMap(({ id, name, host }): Goal[] => {
    const own = rounds[id] ?? [];
    const against = (by: typeof ratioOf<StreamSample>, read: Read<StreamSample>) =>
      compare(rounds, [id, host], (each, base) => by(each, base, read));
    return [
      goal(7, [`First event of ${FEW} streams, p50: ${name} − the provider directly`, '≤ 1 ms'], figureOf(own, p50)),
      goal(7, [`CPU per delta: ${name} ÷ the forwarder in the same host`, '≤ 1.3 ×'], against(ratioOf, cpu)),
      goal(7, [`Event-loop delay p99 with ${MANY} streams: ${name}`, '≤ 15 ms'], figureOf(own, delay)),
      goal(
        7,
        [`An open stream: ${name} − the forwarder in the same host`, '≤ 20 kB'],
        against(differenceOf, kilobytes),
      ),
    ];
  });
  const head = [...HEAD, 'event-loop delay p99 ms', 'kB/stream'];
  return { raw: rounds, goals, section: section('Streams', TEXT, table(head, rows)) };
};

/** @param times how often the text comes to the client: as it is written, and whole at the end. */
async function firstEvents(stage: Stage, port: number, request: HttpRequest, times: number): Promise<FirstEvents> {
  const first = await stage.generator.call.openStreams({ port, streams: FEW, request });
  await endStreams(stage, times);
  return first;
}

/** What is measured costs the server CPU itself, so each in a time of its own. */
async function manyStreams(stage: Stage, { port, child }: Server, windowMs: number) {
  const { generator } = stage;
  const closed = await child.call.heldBytes();
  await generator.call.openStreams({ port, streams: MANY, request: answerRequest(0, { stream: true }) });
  const [before, partsBefore, startMs] = [
    await child.call.state(),
    await generator.call.receivedParts(),
    performance.now(),
  ];
  await setTimeout(windowMs);
  const [after, partsAfter, endMs] = [
    await child.call.state(),
    await generator.call.receivedParts(),
    performance.now(),
  ];
  await child.call.startEventLoopMonitor();
  await setTimeout(windowMs);
  const eventLoopP99Ms = await child.call.stopEventLoopMonitor();
  const bytesPerStream = ((await child.call.heldBytes()) - closed) / MANY;
  await endStreams(stage, 2);
  const cpuMicros = after.cpuMicros - before.cpuMicros;
  const elapsedMs = endMs - startMs;
  return {
    cpuMicrosPerDelta: cpuMicros / (partsAfter - partsBefore),
    deltasPerSecond: ((partsAfter - partsBefore) * MS_PER_SECOND) / elapsedMs,
    serverCpu: cpuMicros / MICROS_PER_MS / elapsedMs,
    eventLoopP99Ms,
    bytesPerStream,
  };
}

/** So that what is measured is whole streams. @throws Error when text was lost. */
async function endStreams({ upstream, generator }: Stage, times: number): Promise<void> {
  const sent = await upstream.call.endStreams();
  const received = await generator.call.endStreams();
  if (received !== sent * times)
    throw new Error(`${sent} parts were streamed, but ${received} came instead of ${sent * times}`);
}
