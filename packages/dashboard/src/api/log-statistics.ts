import type { RequestAdministration } from '@searchgate/core/administration';
import {
  DAYS_KEPT_MS,
  formatUsd,
  HOURS_KEPT_MS,
  isFailed,
  MAX_STATISTICS_ROWS,
  quantileMs,
  STEPS_MS,
  type StatisticsField,
  type StatisticsQuery,
  type StatisticsRow,
  type StatisticsStep,
} from '@searchgate/core/ledger';
import type { Figures, StatisticsBy } from './contract.js';
import { type Asked, CHARTED, type Counted, countOf, grouped, inOrder, type Spans, widened } from './counted.js';
import { Problem } from './problem.js';

/** They are of what a caller asked for, and tell nothing about a model. */
const OF_CALLERS: ReadonlySet<string> = new Set(['query_rejected', 'no_answer_found', 'no_page_extracted', 'hedged']);

type Field = Exclude<StatisticsField, 'atMs'>;

const FIELDS: Partial<Record<StatisticsBy, Field>> = {
  kind: 'endpoint',
  model: 'model',
  provider: 'provider',
  organization: 'organizationId',
  outcome: 'outcome',
};

/** The longest time that has a step, and how long its sums are kept. Minutes are read of the whole hours in which they lie. */
const LIMITS: Readonly<Record<StatisticsStep, { readonly longestMs: number; readonly keptMs: number }>> = {
  minute: { longestMs: 2 * STEPS_MS.hour, keptMs: HOURS_KEPT_MS },
  hour: { longestMs: 8 * STEPS_MS.day, keptMs: HOURS_KEPT_MS },
  day: { longestMs: Number.POSITIVE_INFINITY, keptMs: DAYS_KEPT_MS },
};
/** Most sums of spans that are read: more would keep a reader waiting. */
const MAX_SUMS = 100_000;
/** How many calls a log counts by minute. */
const MOST_BY_MINUTE = 50_000;

type Rows = readonly StatisticsRow[];

interface Reader extends Spans {
  readonly read: RequestAdministration['statistics'];
  /** What all queries have in common. */
  readonly common: Omit<StatisticsQuery, 'by' | 'step' | 'sinceMs' | 'untilMs'>;
  /** What tells groups apart. */
  readonly fields: readonly Field[];
  /** With the outcome, by which figures are told apart. */
  readonly by: readonly Field[];
}

/** Sums of groups, and sums of each span: of all, and of each group unless those are too many. */
interface Sums {
  readonly groups: Rows;
  readonly total: Rows;
  readonly slots: Rows | undefined;
}

/** Counts from the sums of the request log, which are of all processes. No figure is of less than what it stands for. */
export async function countInLog(read: Reader['read'], asked: Asked, nowMs: number): Promise<Counted> {
  const { of, organizations, kind: endpoint, model, provider } = asked;
  const equal = { ...(endpoint && { endpoint }), ...(model && { model }), ...(provider && { provider }) };
  const common = { of, organizations, ...equal };
  const fields = asked.by.flatMap((by) => FIELDS[by] ?? []);
  const by = [...new Set([...fields, 'outcome' as const])];
  for (const step of ['minute', 'hour', 'day'] as const) {
    const reader = { read, common, fields, by, ...widened(step, asked) };
    const { longestMs, keptMs } = LIMITS[step];
    if (asked.untilMs - asked.sinceMs > longestMs || reader.sinceMs < nowMs - keptMs) continue;
    const sums = step === 'minute' ? await readMinutes(reader) : await readSums(reader);
    if (sums !== undefined) return countedOf(sums, reader, asked);
  }
  throw new Problem(400, 'must be at most 400 days ago: older sums are gone', 'since');
}

function countedOf({ groups, total, slots }: Sums, reader: Reader, { measure }: Asked): Counted {
  const slotsOf = (rows: Rows) => {
    const bySpan = grouped(rows, ({ atMs = 0 }) => (atMs - reader.sinceMs) / reader.stepMs);
    return Array.from({ length: countOf(reader) }, (_, at) => figuresOf(bySpan.get(at) ?? [], reader));
  };
  const nameOf = (row: StatisticsRow) => reader.fields.map((field) => row[field]).join('\n');
  const slotsByName = slots && grouped(slots, nameOf);
  const counted = [...grouped(groups, nameOf)].map(([name, rows]) => {
    const group = reader.fields.map((field) => rows[0]?.[field] ?? '');
    return { name, group, ...figuresOf(rows, reader) };
  });
  const ordered = inOrder(counted, measure).map(({ name, ...figures }, at) => {
    const rows = at < CHARTED ? slotsByName?.get(name) : undefined;
    return { ...figures, slots: rows === undefined ? null : slotsOf(rows) };
  });
  return { spans: reader, groups: ordered, total: { ...figuresOf(groups, reader), slots: slotsOf(total) } };
}

async function readSums(reader: Reader): Promise<Sums> {
  // Of whole days, whose sums are few: at least the groups of the time.
  const known = await readAll({ ...reader, ...widened('day', reader) }, reader.by);
  const rows = await readSpans(reader, known.length);
  if (rows !== undefined) return { groups: rows, total: rows, slots: rows };
  const outcomes = new Set(known.map(({ outcome }) => outcome)).size;
  const total = await readSpans({ ...reader, by: ['outcome'] }, outcomes);
  return { groups: await readAll(reader, reader.by), total: total ?? [], slots: undefined };
}

/** Sums in each span, in slices that are never cut; `undefined` for too many. */
async function readSpans(reader: Reader, groups: number): Promise<Rows | undefined> {
  if (groups * countOf(reader) > MAX_SUMS) return undefined;
  const sliceMs = Math.floor((MAX_STATISTICS_ROWS - 1) / Math.max(1, groups)) * reader.stepMs;
  const rows: StatisticsRow[] = [];
  for (let { sinceMs } = reader; sinceMs < reader.untilMs; sinceMs += sliceMs) {
    const untilMs = Math.min(sinceMs + sliceMs, reader.untilMs);
    rows.push(...(await readAll({ ...reader, sinceMs, untilMs }, [...reader.by, 'atMs'])));
  }
  return rows;
}

/** `undefined` where the log has no longer all calls of the time, or does not count so many. */
async function readMinutes(reader: Reader): Promise<Sums | undefined> {
  const hours = { ...reader, ...widened('hour', reader) };
  const counted = await reader.read(queryOf(hours, []));
  // Not all of them would be counted, so none is read.
  if (callsIn(counted) > MOST_BY_MINUTE) return undefined;
  const { sinceMs, untilMs } = hours;
  const found = await reader.read(queryOf({ ...reader, sinceMs, untilMs }, [...reader.by, 'atMs']));
  if (callsIn(found) < callsIn(counted)) return undefined;
  const rows = found.filter(({ atMs = 0 }) => atMs >= reader.sinceMs && atMs < reader.untilMs);
  return { groups: rows, total: rows, slots: rows };
}

function queryOf({ common, step, sinceMs, untilMs }: Reader, by: StatisticsQuery['by']): StatisticsQuery {
  return { ...common, step, sinceMs, untilMs, by };
}

async function readAll(reader: Reader, by: StatisticsQuery['by']): Promise<Rows> {
  const rows = await reader.read(queryOf(reader, by));
  if (rows.length < MAX_STATISTICS_ROWS) return rows;
  throw new Problem(400, 'has more groups than can be counted: choose other fields, or a part of the calls', 'by');
}

const callsIn = (rows: Rows) => rows.reduce((sum, { count }) => sum + count, 0);

/** Money counts whatever the outcome. */
function figuresOf(all: Rows, { common: { of } }: Reader): Figures {
  const rows = of === 'calls' ? all : all.filter(({ outcome = '' }) => !OF_CALLERS.has(outcome));
  const hasFailed = ({ outcome = '' }: StatisticsRow) => isFailed(outcome) && outcome !== 'cached';
  const durations = rows
    .filter((row) => !hasFailed(row))
    .reduce<readonly number[]>((sum, row) => row.durations.map((counted, at) => counted + (sum[at] ?? 0)), []);
  return {
    calls: callsIn(rows),
    failures: callsIn(rows.filter(hasFailed)),
    rescued: rows.reduce((sum, { rescued }) => sum + rescued, 0),
    cost: formatUsd(all.reduce((sum, { cost }) => sum + cost, 0n)),
    p50_ms: quantileMs(durations, 0.5),
    p95_ms: quantileMs(durations, 0.95),
  };
}
