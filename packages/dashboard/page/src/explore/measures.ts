import type { Figures, Measure, StatisticsBy } from '../../../src/api/contract.js';
import type { Params } from '../address.js';
import { count, milliseconds, shortUsd } from '../format.js';

interface MeasureEntry {
  readonly title: string;
  readonly format: (value: number) => string;
  /** Whether the figures of groups add up to that of all. */
  readonly isSum: boolean;
}

export const MEASURES: Readonly<Record<Measure, MeasureEntry>> = {
  cost: { title: 'Cost', format: (value) => shortUsd(String(value)), isSum: true },
  calls: { title: 'Calls', format: count, isSum: true },
  failures: { title: 'Failures', format: count, isSum: true },
  rescued: { title: 'Rescued', format: count, isSum: true },
  p50_ms: { title: 'Median', format: milliseconds, isSum: false },
  p95_ms: { title: '95th percentile', format: milliseconds, isSum: false },
};

export const FIELDS: Readonly<Record<StatisticsBy, string>> = {
  kind: 'Kind',
  model: 'Model',
  provider: 'Provider',
  organization: 'Organization',
  outcome: 'Outcome',
  key: 'Key',
  tag: 'Tag',
};
/** Charges alone are known of them. */
export const isOfLedger = (name: string) => name === 'key' || name === 'tag';
const OF_LEDGER: readonly string[] = ['organization', 'key', 'model', 'tag'];

/** What the view shows, as far as it is known: the address may ask for more. */
export interface Choice {
  readonly measure: Measure;
  readonly of: 'calls' | 'attempts';
  readonly by: readonly StatisticsBy[];
  readonly organization: string | undefined;
  /** Whether only charges by day are known. */
  readonly isOfLedger: boolean;
}

export function choiceOf(
  { by = 'model', measure = '', of, organization }: Partial<Record<string, string>>,
  hasRequests: boolean,
): Choice {
  const named = by.split(',').filter((name): name is StatisticsBy => Object.hasOwn(FIELDS, name));
  const isCharges = !hasRequests || named.some(isOfLedger);
  const ofLedger = named.find(isOfLedger) ?? named.find((name) => OF_LEDGER.includes(name));
  return {
    measure: measuresOf(isCharges).find((known) => known === measure) ?? 'cost',
    of: of === 'attempts' && !isCharges ? of : 'calls',
    by: (isCharges ? [ofLedger ?? []].flat() : named).slice(0, 2),
    organization,
    isOfLedger: isCharges,
  };
}

/** The measures that can be chosen. */
export function measuresOf(isCharges: boolean): readonly Measure[] {
  return isCharges ? ['cost', 'calls'] : (Object.keys(MEASURES) as Measure[]);
}

/** The fields that can be chosen. */
export function fieldsOf(hasRequests: boolean): readonly StatisticsBy[] {
  return (Object.keys(FIELDS) as StatisticsBy[]).filter((name) => hasRequests || OF_LEDGER.includes(name));
}

/** The number that a chart or a bar shows; `null` for none. */
export function valueOf(figures: Figures, measure: Measure): number | null {
  const value = figures[measure];
  return value === null ? null : Number(value);
}

/** The requests of a group, as far as their list has filters for it. */
export function requestsOf({ of, measure, organization, by }: Choice, group: readonly string[]): Params {
  const own = Object.fromEntries(by.map((field, at) => [field, group[at]]));
  const { kind: _, outcome, provider, ...rest }: Params = { organization, ...own };
  const isAnswer = outcome === 'answered' || outcome === 'cached';
  return {
    ...rest,
    [of === 'attempts' ? 'attempted' : 'provider']: provider,
    [isAnswer ? 'status' : 'reason']: isAnswer ? '2' : outcome,
    ...(measure === 'rescued' && { rescued: 'true' }),
  };
}
