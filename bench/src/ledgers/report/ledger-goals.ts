import { count } from '../../report/format.js';
import type { Goal } from '../../report/goals.js';
import { figureOf, ratioOf } from '../../statistics.js';
import { LEDGER, type Reference } from '../engines/engine.js';
import { ALONE, BUSY, HOT, isSameCase, type LedgerCase, MANY_CALLERS, type PairSample } from '../ledger-case.js';
import type { LedgerResults } from '../ledger-results.js';
import type { RoundTrips } from '../loads/ledger-load.js';
import type { EngineResult } from '../measure-engine.js';

const perSecond = ({ pairsPerSecond }: PairSample): number => pairsPerSecond;

/** Goals that do not apply to an engine are not among them. */
export function ledgerGoalsOf({ engines }: LedgerResults): Goal[] {
  return engines.flatMap((engine) => [
    ...(engine.id === 'memory' ? [memoryGoal(engine, BUSY), memoryGoal(engine, HOT)] : []),
    ...engineRateGoals(engine),
    ...singleRowGoals(engine),
    ...roundTripGoals(engine),
  ]);
}

/** The samples of one contender in one case, by round. */
export function samplesOf({ series }: EngineResult, contender: string, of: LedgerCase): readonly PairSample[] {
  return series.find((each) => each.contender === contender && isSameCase(each, of))?.samples ?? [];
}

function memoryGoal(engine: EngineResult, of: LedgerCase): Goal {
  return {
    number: 7,
    text: `${engine.name}: pairs per second, ${caseText(of)}`,
    bound: { atLeast: 500_000 },
    unit: ' per second',
    measured: figureOf(samplesOf(engine, LEDGER, of), perSecond),
  };
}

function engineRateGoals(engine: EngineResult): Goal[] {
  const { engineRate } = engine.references;
  if (engineRate === null) return [];
  return [
    {
      number: 7,
      text: `${engine.name}: pairs per second ÷ ${engineRate.contender}, ${caseText(BUSY)}`,
      bound: { atLeast: 0.5 },
      unit: ' ×',
      measured: against(engine, BUSY, engineRate),
    },
  ];
}

function singleRowGoals(engine: EngineResult): Goal[] {
  const { singleRow } = engine.references;
  if (singleRow === null) return [];
  return [
    {
      number: 7,
      text: `${engine.name}: pairs per second on one hot organization, ${MANY_CALLERS} callers ÷ ${singleRow.contender}, on one row, a commit per call`,
      bound: { atLeast: 10 },
      unit: ' ×',
      measured: against(engine, HOT, singleRow),
    },
  ];
}

function against(engine: EngineResult, of: LedgerCase, { contender, ...reference }: Reference) {
  return ratioOf(samplesOf(engine, LEDGER, of), samplesOf(engine, contender, reference), perSecond);
}

function roundTripGoals(engine: EngineResult): Goal[] {
  const goal = (what: string, read: (trips: RoundTrips) => number | null): Goal[] => {
    const trips = engine.roundTrips.flatMap((each) => read(each) ?? []).map((p50Ms) => ({ p50Ms }));
    if (trips.length === 0) return [];
    return [
      {
        number: 8,
        text: `${engine.name}: p50 of a pair, ${caseText(ALONE)} ÷ ${what}`,
        bound: { atMost: 2 },
        unit: ' ×',
        measured: ratioOf(samplesOf(engine, LEDGER, ALONE), trips, ({ p50Ms }: { p50Ms: number }) => p50Ms),
      },
    ];
  };
  return [
    ...goal('a round trip that keeps one row', ({ keepP50Ms }) => keepP50Ms),
    ...goal('a round trip that does nothing', ({ askP50Ms }) => askP50Ms),
  ];
}

function caseText({ organizations, callers }: LedgerCase): string {
  const one = (number: number, word: string) => `${count(number)} ${word}${number === 1 ? '' : 's'}`;
  return `${one(callers, 'caller')}, ${one(organizations, 'organization')}`;
}
