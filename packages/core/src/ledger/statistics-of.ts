import type { NanoUsd } from '../base/money.js';
import type { LoggedRequest } from './request-log.js';
import {
  type Counts,
  DURATION_BOUNDS,
  isFailed,
  STEPS_MS,
  type StatisticsEntry,
  type StatisticsStep,
} from './request-statistics.js';

/** The sums of calls, by hour and by day. Each group of each span comes once. */
export function statisticsOf(rows: readonly LoggedRequest[]): readonly StatisticsEntry[] {
  const spans = { hour: new Map<number, Groups>(), day: new Map<number, Groups>() };
  for (const row of rows)
    for (const counted of countedOf(row)) {
      const { of, model, provider, outcome } = counted;
      // All calls come here, so names have no times: numbers take long to become texts.
      const group = `${of}\n${row.endpoint}\n${row.organizationId}\n${model}\n${provider}\n${outcome}`;
      for (const step of STEPS) countIn(spans[step], { row, counted, step, group });
    }
  return STEPS.flatMap((step) => [...spans[step].values()].flatMap((groups) => [...groups.values()]));
}

function countedOf(row: LoggedRequest): readonly Counted[] {
  const rescued = row.rescued ? 1 : 0;
  const isCached = row.cache === 'hit' && row.status < 400;
  const call = {
    of: 'calls' as const,
    model: row.model ?? '',
    provider: row.provider ?? '',
    outcome: isCached ? 'cached' : (row.reason ?? 'answered'),
    cost: row.cost,
    rescued,
    durationMs: row.durationMs,
  };
  const attempts = row.attempts.map(({ model, provider, outcome, cost, durationMs }) => {
    const ofAnswered = isFailed(outcome) ? rescued : 0;
    return { of: 'attempts' as const, model, provider, outcome, cost, rescued: ofAnswered, durationMs };
  });
  return [call, ...attempts];
}

const STEPS = ['hour', 'day'] as const;

interface Counted extends Pick<StatisticsEntry, 'of' | 'model' | 'provider' | 'outcome' | 'rescued'> {
  readonly cost: NanoUsd | null;
  readonly durationMs: number;
}

type Groups = Map<string, Counts & StatisticsEntry>;

interface Place {
  readonly row: LoggedRequest;
  readonly counted: Counted;
  readonly step: StatisticsStep;
  readonly group: string;
}

function countIn(spans: Map<number, Groups>, { row, counted, step, group }: Place): void {
  const atMs = Math.floor(row.atMs / STEPS_MS[step]) * STEPS_MS[step];
  const groups = spans.get(atMs) ?? new Map<string, Counts & StatisticsEntry>();
  spans.set(atMs, groups);
  let sum = groups.get(group);
  if (sum === undefined) {
    const { of, model, provider, outcome } = counted;
    const { endpoint, organizationId } = row;
    const durations = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
    const none = { count: 0, cost: 0n, rescued: 0, durations };
    sum = { of, step, atMs, endpoint, organizationId, model, provider, outcome, ...none };
    groups.set(group, sum);
  }
  const bound = DURATION_BOUNDS.findIndex((most) => counted.durationMs <= most);
  const place = bound === -1 ? DURATION_BOUNDS.length : bound;
  sum.count += 1;
  sum.cost += counted.cost ?? 0n;
  sum.rescued += counted.rescued;
  sum.durations[place] = (sum.durations[place] ?? 0) + 1;
}
