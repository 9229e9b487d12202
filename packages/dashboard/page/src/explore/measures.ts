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
/** What sums can be narrowed by. */
const FILTERS = ['kind', 'model', 'provider', 'organization', 'key', 'tag'] as const;

/** Charges alone are known of them. */
export const isOfLedger = (name: string) => name === 'key' || name === 'tag';
const OF_LEDGER: readonly string[] = ['organization', 'key', 'model', 'tag'];

/** What the view shows, as far as it is known: the address may ask for more. */
export interface Choice {
  readonly measure: Measure;
  readonly of: 'calls' | 'attempts';
  readonly by: readonly StatisticsBy[];
  readonly filters: Readonly<Partial<Record<StatisticsBy, string>>>;
  /** Whether only charges by day are known. */
  readonly isOfLedger: boolean;
}

export function choiceOf(params: Readonly<Record<string, string>>, hasRequests: boolean): Choice {
  const filters = Object.fromEntries(FILTERS.flatMap((name) => (params[name] ? [[name, params[name]]] : [])));
  const named = (params['by'] ?? 'model')
    .split(',')
    .filter((name): name is StatisticsBy => Object.hasOwn(FIELDS, name));
  const ofLedger = named.find(isOfLedger);
  const isCharges = !hasRequests || ofLedger !== undefined || Object.keys(filters).some(isOfLedger);
  const known = isCharges ? [ofLedger ?? named.find((name) => OF_LEDGER.includes(name)) ?? []].flat() : named;
  const measure = (params['measure'] ?? '') as Measure;
  const isKnown = Object.hasOwn(MEASURES, measure) && (!isCharges || measure === 'calls');
  return {
    measure: isKnown ? measure : 'cost',
    of: params['of'] === 'attempts' && !isCharges ? 'attempts' : 'calls',
    by: known.slice(0, 2),
    filters,
    isOfLedger: isCharges,
  };
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
export function requestsOf({ of, measure, filters }: Choice, own: Choice['filters']): Params {
  const { kind: _, outcome, provider, ...rest } = { ...filters, ...own };
  const isAnswer = outcome === 'answered' || outcome === 'cached';
  return {
    ...rest,
    [of === 'attempts' ? 'attempted' : 'provider']: provider,
    ...(outcome !== undefined && (isAnswer ? { status: '2' } : { reason: outcome })),
    ...(measure === 'rescued' && { rescued: 'true' }),
  };
}
