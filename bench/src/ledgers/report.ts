import { count, type Goal, goal, section, short, table, withSpread } from '../report.js';
import { figure, figureOf, ratioOf } from '../statistics.js';
import type { Reference } from './engines.js';
import { type GrowthResult, isCase, LEDGER, type PairsResult } from './measure.js';
import { ALONE, BUSY, HOT, type LedgerCase, type PairSample } from './pairs.js';

const HEAD = ['organizations', 'callers', 'who', 'pairs/s', 'p50 ms', 'p99 ms', 'ledger ÷ it'];
const GROWTH_TEXT = [
  'What things take with so many entries in the log, one at a time. They are spread over 400 days, 1,000 keys of 50 organizations, and 3 models a key; they were written in bulk, and an audit found no difference.',
  'Milliseconds, and the median of what is done more than once. A page has 100 entries. Verify is `audit()`; the pause is the longest that a timer of the process was late during it.',
  'Statements are of all time, and of 392 days that neither begin nor end with a month, over all entries where nothing else is said. They read sums, whose number depends on days, keys and models, and hardly on entries.',
  'Bytes are of disk, for Redis and memory of memory, of the log with its indexes, the counters and the sums. Holds, which are forgotten some time after they ended, are not in it. The memory ledger remembers the last 10,000 entries; its sums are of all.',
].join('\n');

const perSecond = ({ pairsPerSecond }: PairSample): number => pairsPerSecond;

/** Goals that do not apply to an engine are not among them. */
export function ledgerGoalsOf(engine: PairsResult): Goal[] {
  const { id, name, references } = engine;
  const rate = (of: LedgerCase) => figureOf(samplesOf(engine, LEDGER, of), perSecond);
  const against = (of: LedgerCase, { contender, ...other }: Reference) =>
    ratioOf(samplesOf(engine, LEDGER, of), samplesOf(engine, contender, other), perSecond);
  const goals: Goal[] = [];
  if (id === 'memory') {
    for (const of of [BUSY, HOT]) {
      goals.push(goal(7, [`${name}: pairs per second, ${caseText(of)}`, '≥ 500,000 per second'], rate(of)));
    }
  }
  if (references.busy !== undefined) {
    const text = `${name}: pairs per second ÷ ${references.busy.contender}, ${caseText(BUSY)}`;
    goals.push(goal(7, [text, '≥ 0.5 ×'], against(BUSY, references.busy)));
  }
  if (references.singleRow !== undefined) {
    const { contender } = references.singleRow;
    const text = `${name}: pairs per second on one hot organization, ${HOT.callers} callers ÷ ${contender}, on one row, a commit per call`;
    goals.push(goal(7, [text, '≥ 10 ×'], against(HOT, references.singleRow)));
  }
  for (const what of Object.keys(engine.roundTrips[0] ?? {})) {
    const text = `${name}: p50 of a pair, ${caseText(ALONE)} ÷ a round trip ${what}`;
    const own = samplesOf(engine, LEDGER, ALONE).map(({ p50Ms }) => p50Ms);
    goals.push(
      goal(
        8,
        [text, '≤ 2 ×'],
        ratioOf(own, tripsOf(engine, what), (ms) => ms),
      ),
    );
  }
  return goals;
}

export function engineSection(engine: PairsResult): string {
  const rows = engine.series.map(({ contender, samples, ...of }) => [
    count(of.organizations),
    count(of.callers),
    contender,
    withSpread(figureOf(samples, perSecond)),
    short(figureOf(samples, ({ p50Ms }) => p50Ms).median),
    short(figureOf(samples, ({ p99Ms }) => p99Ms ?? Number.NaN).median),
    contender === LEDGER ? '–' : withSpread(ratioOf(samplesOf(engine, LEDGER, of), samples, perSecond)),
  ]);
  const names = Object.keys(engine.roundTrips[0] ?? {});
  const trips = names.map((what) => `${short(figure(tripsOf(engine, what)).median)} ms for one ${what}`);
  const text = trips.length === 0 ? '' : ` Round trips of the engine, one caller: ${trips.join(', ')}.`;
  return section(engine.name, engine.description + text, table(HEAD, rows));
}

export function growthSection(growth: readonly GrowthResult[]): string {
  const names = Object.keys(growth[0]?.samples[0]?.ms ?? {});
  const rows = growth.flatMap(({ name, samples }) =>
    samples.map(({ entries, ms, bytesPerEntry }) => {
      const figures = names.map((each) => short(ms[each] ?? Number.NaN));
      return [name, count(entries), ...figures, short(bytesPerEntry)];
    }),
  );
  const head = ['ledger', 'entries', ...names, 'bytes/entry'];
  return rows.length === 0 ? '' : section('Growth', GROWTH_TEXT, table(head, rows));
}

function samplesOf({ series }: PairsResult, contender: string, of: LedgerCase): readonly PairSample[] {
  return series.find((each) => isCase(each, contender, of))?.samples ?? [];
}

function tripsOf({ roundTrips }: PairsResult, what: string): number[] {
  return roundTrips.map((trips) => trips[what] ?? Number.NaN);
}

function caseText({ organizations, callers }: LedgerCase): string {
  const one = (number: number, word: string) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;
  return `${one(callers, 'caller')}, ${one(organizations, 'organization')}`;
}
