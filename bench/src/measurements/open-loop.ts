import { ANSWERS, CONNECTIONS, inTurns, loadOf, measure } from '../drive.js';
import { compare, type Goal, goal, type Measurement, median, present, section, table, withSpread } from '../report.js';
import { upstreamRequest } from '../requests.js';
import { GATEWAYS } from '../stage.js';
import { differenceOf, figureOf } from '../statistics.js';

const CALM_RATE = 300;
const BUSY_RATE = 1_000;
/** A server that cannot keep the busy rate is asked for this share of what it can do. */
const SUSTAINABLE_SHARE = 0.7;
const HEAD = ['server', 'added p50 ms', 'added p99 ms', 'busy at req/s', 'event-loop delay p99 ms'];
const TEXT = `Each latency counts from the time the request was meant to be sent, at ${CALM_RATE} requests per second. The latency of the provider asked directly is taken off. The event-loop delay is how much later than planned a timer of the host runs, at 1,000 requests per second or what the server can keep.`;

interface OpenSample {
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  readonly busyRate: number;
  readonly eventLoopP99Ms: number;
}

const p99 = ({ addedP99Ms }: OpenSample): number => addedP99Ms;
const delay = ({ eventLoopP99Ms }: OpenSample): number => eventLoopP99Ms;

/** Open loop at rates that servers can keep. What is above the upstream's own latency just before, the server has added. */
export const measureOpenLoop: Measurement = async (stage, { openLoop: { rounds: turns, durationMs, settleMs } }) => {
  const { call } = stage.generator;
  const direct = { port: stage.upstream.ready as number, connections: CONNECTIONS, requests: [upstreamRequest()] };
  const rounds = await inTurns(stage.servers, turns, async (server): Promise<OpenSample> => {
    const load = { ...loadOf(server, ANSWERS), requestsPerSecond: CALM_RATE };
    const base = await call.openLoop({ ...direct, requestsPerSecond: CALM_RATE, durationMs: durationMs / 2 });
    await call.openLoop({ ...load, durationMs: settleMs });
    const drive = () => call.openLoop({ ...load, durationMs });
    const { p50Ms, p99Ms } = await measure(stage, server, { asked: ANSWERS, drive });
    const capacity = server.rates.get(ANSWERS.name) ?? BUSY_RATE;
    const busyRate = Math.floor(Math.min(BUSY_RATE, capacity * SUSTAINABLE_SHARE));
    await server.child.call.startEventLoopMonitor();
    await call.openLoop({ ...load, requestsPerSecond: busyRate, durationMs: durationMs / 2 });
    const eventLoopP99Ms = await server.child.call.stopEventLoopMonitor();
    return { addedP50Ms: p50Ms - base.p50Ms, addedP99Ms: p99Ms - base.p99Ms, busyRate, eventLoopP99Ms };
  });
  const rows = present(rounds).map(([{ name }, own]) => [
    name,
    withSpread(figureOf(own, ({ addedP50Ms }) => addedP50Ms)),
    withSpread(figureOf(own, p99)),
    median(own, ({ busyRate }) => busyRate),
    withSpread(figureOf(own, delay)),
  ]);
  const goals = GATEWAYS.flatMap(({ id, name, host }): Goal[] => {
    const added = compare(rounds, [id, host], (own, base) => differenceOf(own, base, p99));
    return [
      goal(2, [`Added p99 at ${CALM_RATE} req/s: ${name} − the forwarder in the same host`, '≤ 1 ms'], added),
      goal(3, [`Event-loop delay p99 at 1,000 req/s: ${name}`, '≤ 15 ms'], figureOf(rounds[id] ?? [], delay)),
    ];
  });
  return {
    raw: rounds,
    goals,
    section: section('Open loop: added latency, event-loop delay', TEXT, table(HEAD, rows)),
  };
};
