import { ANSWERS, driveClosed, type Sample } from '../drive.js';
import { count, goal, type Measurement, median, megabytes, section, table } from '../report.js';
import { answerRequest } from '../requests.js';
import { figure, ratioOf } from '../statistics.js';

/** More different keys than the gateway's key cache holds. */
const DIFFERENT_KEYS = 20_000;
const HEAD = ['keys', 'CPU µs/answer', 'p50 ms', 'p99 ms', 'RSS MB'];
const TEXT = `The core in node:http, every key in an organization of its own, asked with ${count(DIFFERENT_KEYS)} different keys.`;

const p50 = ({ p50Ms }: Sample): number => p50Ms;

/** The same gateway with one key and with very many, asked with keys from everywhere among them. */
export const measureKeys: Measurement = async (stage, { keys: { rounds, keyCount, ...drive } }) => {
  const one = await stage.start('core');
  const many = await stage.start('core', { apiKeyCount: keyCount });
  const bytesPerKey = ((await many.child.call.heldBytes()) - (await one.child.call.heldBytes())) / keyCount;
  const step = Math.max(1, Math.floor(keyCount / DIFFERENT_KEYS));
  const all = Array.from({ length: DIFFERENT_KEYS }, (_, index) => answerRequest((index * step) % keyCount));
  const [oneKey, manyKeys]: [Sample[], Sample[]] = [[], []];
  // The first round is warm-up.
  for (let round = 0; round <= rounds; round += 1) {
    // Keys that were not asked for lately, so that the cache does not have them.
    const start = Math.floor((round * DIFFERENT_KEYS) / (rounds + 1));
    const requests = [...all.slice(start), ...all.slice(0, start)];
    const single = await driveClosed(stage, one, { asked: ANSWERS, ...drive });
    const multiple = await driveClosed(stage, many, { asked: { ...ANSWERS, requests }, ...drive, settleMs: 0 });
    if (round === 0) continue;
    oneKey.push(single);
    manyKeys.push(multiple);
  }
  await Promise.all([one.child.stop(), many.child.stop()]);
  const row = (keys: number, samples: readonly Sample[]) => [
    count(keys),
    median(samples, ({ cpuMicrosPerRequest }) => cpuMicrosPerRequest),
    median(samples, p50),
    median(samples, ({ p99Ms }) => p99Ms),
    megabytes(samples.at(-1)?.rssBytes ?? 0),
  ];
  const goals = [
    goal(5, ['Heap for one more key and its organization (300 bytes each)', '≤ 600 bytes'], figure([bytesPerKey])),
    goal(5, [`p50 with ${count(keyCount)} keys ÷ with one`, '≤ 1.1 ×'], ratioOf(manyKeys, oneKey, p50)),
  ];
  const result = table(HEAD, [row(1, oneKey), row(keyCount, manyKeys)]);
  return { raw: { keyCount, bytesPerKey, oneKey, manyKeys }, goals, section: section('Many keys', TEXT, result) };
};
