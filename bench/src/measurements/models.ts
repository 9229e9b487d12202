import { driveClosed, inTurns, MODELS, type Sample } from '../drive.js';
import { compare, goal, type Measurement, median, present, section, short, table } from '../report.js';
import { GATEWAYS } from '../stage.js';
import { type Read, ratioOf } from '../statistics.js';

const HEAD = ['server', 'req/s', '× same host', 'CPU µs', '× same host'];

const cpu = ({ cpuMicrosPerRequest }: Sample): number => cpuMicrosPerRequest;
const rate = ({ requestsPerSecond }: Sample): number => requestsPerSecond;

/** `GET /models`: the gateways against the same host, which writes the same bytes from a prebuilt buffer and checks no key. */
export const measureModels: Measurement = async (stage, { models: { rounds: turns, ...drive } }) => {
  const take = { asked: MODELS, ...drive };
  const rounds = await inTurns(stage.servers, turns, (server) => driveClosed(stage, server, take));
  const rows = present(rounds).map(([{ name, host }, own]) => {
    const against = (read: Read<Sample>) => short(ratioOf(own, rounds[host] ?? [], read).median);
    return [name, median(own, rate), against(rate), median(own, cpu), against(cpu)];
  });
  const goals = GATEWAYS.map(({ id, name, host }) => {
    const by = (read: Read<Sample>) => compare(rounds, [id, host], (own, base) => ratioOf(own, base, read));
    const perSecond = by(rate);
    const perCpu = by((sample) => 1 / cpu(sample));
    // The load generator may be what limits requests per second.
    const worse = perSecond !== null && perCpu !== null && perCpu.median < perSecond.median ? perCpu : perSecond;
    return goal(4, [`GET /models: ${name} ÷ a prebuilt buffer in the same host`, '≥ 0.95 ×'], worse);
  });
  const entries = (JSON.parse(stage.models) as { data: unknown[] }).data.length;
  const size = `${entries} entries, ${short(Buffer.byteLength(stage.models) / 1_000)} kB`;
  const text = `\`GET /api/v1/models\`, ${size}. The forwarders write the same bytes from a prebuilt buffer straight to node's response and check no key.`;
  return { raw: rounds, goals, section: section('Listing the models', text, table(HEAD, rows)) };
};
