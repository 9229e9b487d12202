import { STEPS_MS } from '@searchgate/core/ledger';
import type { Figures, Measure, Statistics, StatisticsBy } from './contract.js';

/** What a request for statistics asks for, in names of the wire. Times are milliseconds since the Unix epoch. */
export interface Asked {
  readonly by: readonly StatisticsBy[];
  readonly of: Statistics['of'];
  readonly measure: Measure;
  readonly sinceMs: number;
  /** At most just after now. */
  readonly untilMs: number;
  /** `undefined` for all. */
  readonly organizations: readonly string[] | undefined;
  readonly kind?: string | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
}

/** Whole spans of a time. */
export interface Spans {
  readonly step: Statistics['step'];
  readonly stepMs: number;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The groups of a time, those with the most of the measure first. */
export interface Counted extends Pick<Statistics, 'total'> {
  readonly spans: Spans;
  readonly groups: Statistics['data'];
}

/** Number of groups that have figures of each span. */
export const CHARTED = 8;

/** Whole spans in which a time lies. */
export function widened(step: Spans['step'], { sinceMs, untilMs }: Pick<Spans, 'sinceMs' | 'untilMs'>): Spans {
  const stepMs = STEPS_MS[step];
  const first = Math.floor(sinceMs / stepMs) * stepMs;
  return { step, stepMs, sinceMs: first, untilMs: Math.ceil(untilMs / stepMs) * stepMs };
}

export function countOf({ sinceMs, untilMs, stepMs }: Spans): number {
  return (untilMs - sinceMs) / stepMs;
}

/** Groups with something to show, those with the most of a measure first. */
export function inOrder<Group extends Figures>(groups: readonly Group[], measure: Measure): readonly Group[] {
  const most = (a: number, b: number) => (a === b ? 0 : b - a);
  const valueOf = ({ [measure]: value }: Figures) => (value === null ? Number.NEGATIVE_INFINITY : Number(value));
  return groups
    .filter(({ calls, cost }) => calls > 0 || Number(cost) !== 0)
    .sort((a, b) => most(valueOf(a), valueOf(b)) || most(a.calls, b.calls));
}

/** As `Map.groupBy`, which Node has from 21 on. */
export function grouped<T, Name>(all: readonly T[], nameOf: (each: T) => Name): ReadonlyMap<Name, readonly T[]> {
  const groups = new Map<Name, T[]>();
  for (const each of all) {
    const name = nameOf(each);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return groups;
}
