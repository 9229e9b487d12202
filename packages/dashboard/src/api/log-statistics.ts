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

const FIELDS: Partial<Record<StatisticsBy, Exclude<StatisticsField, 'atMs'>>> = {
  kind: 'endpoint',
  model: 'model',
  provider: 'provider',
  organization: 'organizationId',
  outcome: 'outcome',
};

/** The longest time that has a step, and how long its sums are kept. */
const LIMITS: Readonly<Record<Spans['step'], { readonly longestMs: number; readonly keptMs: number }>> = {
  minute: { longestMs: 3 * STEPS_MS.hour, keptMs: HOURS_KEPT_MS },
  hour: { longestMs: 8 * STEPS_MS.day, keptMs: HOURS_KEPT_MS },
  day: { longestMs: Number.POSITIVE_INFINITY, keptMs: DAYS_KEPT_MS },
};
/** Most sums of spans that are read: more would keep a reader waiting. */
const MAX_SUMS = 100_000;
/** An index finds those of one organization, so they are read one by one before. */
const MAX_SUMS_OF_ORGANIZATIONS = 10_000;

interface Reader extends Spans {
  readonly read: RequestAdministration['statistics'];
  /** What all queries have in common. */
  readonly common: Omit<StatisticsQuery, 'by' | 'step' | 'sinceMs' | 'untilMs'>;
  /** What tells groups apart. */
  readonly fields: readonly Exclude<StatisticsField, 'atMs'>[];
}

/** Sums of groups, and sums of each span: of all, and of some groups by their names. */
interface Sums {
  readonly groups: readonly StatisticsRow[];
  readonly total: readonly StatisticsRow[] | undefined;
  readonly slots: ReadonlyMap<string, readonly StatisticsRow[]>;
}

/** Counts from the sums of the request log, which are of all processes. No figure is of less than what it stands for. */
export async function countInLog(read: Reader['read'], asked: Asked, nowMs: number): Promise<Counted> {
  const { of, organizations, kind: endpoint, model, provider } = asked;
  const equal = { ...(endpoint && { endpoint }), ...(model && { model }), ...(provider && { provider }) };
  const common = { of, organizations, ...equal };
  const fields = asked.by.flatMap((by) => FIELDS[by] ?? []);
  for (const spans of spansOf(asked, nowMs)) {
    const reader = { read, common, fields, ...spans };
    const sums = spans.step === 'minute' ? await readMinutes(reader) : await readSums(reader, asked);
    if (sums !== undefined) return countedOf(sums, reader, asked);
  }
  throw new Problem(400, 'must be at most 400 days ago: older sums are gone', 'since');
}

/** The shortest first. A log may have no minutes. */
function spansOf(asked: Asked, nowMs: number): readonly Spans[] {
  const steps = (Object.entries(STEPS_MS) as [Spans['step'], number][]).sort(([, a], [, b]) => a - b);
  return steps
    .filter(([step]) => asked.untilMs - asked.sinceMs <= LIMITS[step].longestMs)
    .map(([step, stepMs]) => widened(step, stepMs, asked))
    .filter(({ step, sinceMs }) => sinceMs >= nowMs - LIMITS[step].keptMs);
}

function countedOf({ groups, total = [], slots }: Sums, reader: Reader, asked: Asked): Counted {
  const slotsOf = (rows: readonly StatisticsRow[]) => {
    const bySpan = grouped(rows, ({ atMs = 0 }) => (atMs - reader.sinceMs) / reader.stepMs);
    return Array.from({ length: countOf(reader) }, (_, at) => figuresOf(bySpan.get(at) ?? [], reader));
  };
  const ordered = orderedGroups(groups, reader, asked).map(({ name, group, ...figures }, at) => {
    const rows = at < CHARTED ? slots.get(name) : undefined;
    return { group, ...figures, slots: rows === undefined ? null : slotsOf(rows) };
  });
  return { spans: reader, groups: ordered, total: { ...figuresOf(groups, reader), slots: slotsOf(total) } };
}

function orderedGroups(sums: readonly StatisticsRow[], reader: Reader, { measure }: Asked) {
  const groups = [...grouped(sums, nameIn(reader))].map(([name, rows]) => {
    const group = reader.fields.map((field) => rows[0]?.[field] ?? '');
    return { name, group, ...figuresOf(rows, reader) };
  });
  return inOrder(groups, measure);
}

const nameIn =
  ({ fields }: Pick<Reader, 'fields'>) =>
  (row: StatisticsRow) =>
    fields.map((field) => row[field]).join('\n');

const outcomesOf = ({ fields }: Pick<Reader, 'fields'>) => [...new Set([...fields, 'outcome' as const])];

function sumsOf(every: readonly StatisticsRow[], reader: Reader): Sums {
  return { groups: every, total: every, slots: grouped(every, nameIn(reader)) };
}

async function readSums(reader: Reader, asked: Asked): Promise<Sums> {
  const groups = (await Promise.all(partsOf(reader).map(readGroups))).flat();
  const place = reader.fields.indexOf('organizationId');
  const every = await readSpans(reader, groups, place === -1 ? MAX_SUMS : MAX_SUMS_OF_ORGANIZATIONS);
  if (every !== undefined) return sumsOf(every, reader);
  const slots = new Map<string, readonly StatisticsRow[]>();
  const largest = place === -1 ? [] : orderedGroups(groups, reader, asked).slice(0, CHARTED);
  for (const id of new Set(largest.map(({ group }) => group[place] ?? ''))) {
    const own = { ...reader, common: { ...reader.common, organizations: [id] } };
    const ofOwn = groups.filter(({ organizationId }) => organizationId === id);
    const rows = await readSpans(own, ofOwn, MAX_SUMS_OF_ORGANIZATIONS);
    for (const [name, of] of grouped(rows ?? [], nameIn(reader))) slots.set(name, of);
  }
  const total = await readSpans({ ...reader, fields: [] }, groups, MAX_SUMS);
  return { groups, total, slots };
}

/** Sums of hours for a begun day, of days for whole ones: they are few. */
function partsOf(reader: Reader): readonly Reader[] {
  const { step, sinceMs, untilMs } = reader;
  if (step !== 'hour') return [reader];
  const fromMs = Math.min(untilMs, Math.ceil(sinceMs / STEPS_MS.day) * STEPS_MS.day);
  const toMs = Math.max(fromMs, Math.floor(untilMs / STEPS_MS.day) * STEPS_MS.day);
  const days = { ...reader, step: 'day', sinceMs: fromMs, untilMs: toMs } as const;
  const parts = [{ ...reader, untilMs: fromMs }, days, { ...reader, sinceMs: toMs }];
  return parts.filter((part) => part.sinceMs < part.untilMs);
}

/** Sums of groups without their time; of very many groups an outcome after the other. */
async function readGroups(reader: Reader): Promise<readonly StatisticsRow[]> {
  const by = outcomesOf(reader);
  const rows = await reader.read(queryOf(reader, by));
  if (rows.length < MAX_STATISTICS_ROWS) return rows;
  const outcomes = await readAll(reader, queryOf(reader, ['outcome']));
  const ofEach = outcomes.map(({ outcome = '' }) => readAll(reader, { ...queryOf(reader, by), outcome }));
  return (await Promise.all(ofEach)).flat();
}

/** Sums of groups in each span, in slices that are never cut; `undefined` for more than `most`. */
async function readSpans(reader: Reader, groups: readonly StatisticsRow[], most: number) {
  const combinations = new Set(groups.map(nameIn({ fields: outcomesOf(reader) }))).size;
  if (combinations >= MAX_STATISTICS_ROWS || combinations * countOf(reader) > most) return undefined;
  const sliceMs = Math.max(1, Math.floor(MAX_STATISTICS_ROWS / (combinations + 1))) * reader.stepMs;
  const rows: StatisticsRow[] = [];
  for (let { sinceMs } = reader; sinceMs < reader.untilMs; sinceMs += sliceMs) {
    const untilMs = Math.min(sinceMs + sliceMs, reader.untilMs);
    rows.push(...(await readAll(reader, queryOf({ ...reader, sinceMs, untilMs }, [...outcomesOf(reader), 'atMs']))));
  }
  return rows;
}

/** `undefined` where the log has no longer all calls of the time, or does not count so many. */
async function readMinutes(reader: Reader): Promise<Sums | undefined> {
  const hours = { ...reader, ...widened('hour', STEPS_MS.hour, reader) };
  const counted = await reader.read(queryOf(hours, []));
  const rows: StatisticsRow[] = [];
  for (let { sinceMs } = hours; sinceMs < hours.untilMs; sinceMs += LIMITS.minute.longestMs) {
    const untilMs = Math.min(sinceMs + LIMITS.minute.longestMs, hours.untilMs);
    const by = [...outcomesOf(reader), 'atMs' as const];
    const found = await reader.read(queryOf({ ...reader, sinceMs, untilMs }, by));
    if (found.length >= MAX_STATISTICS_ROWS || 'countedSinceMs' in found) return undefined;
    rows.push(...found);
  }
  if (callsIn(rows) < callsIn(counted)) return undefined;
  return sumsOf(
    rows.filter(({ atMs = 0 }) => atMs >= reader.sinceMs && atMs < reader.untilMs),
    reader,
  );
}

function queryOf({ common, step, sinceMs, untilMs }: Reader, by: StatisticsQuery['by']): StatisticsQuery {
  return { ...common, step: step as StatisticsStep, sinceMs, untilMs, by };
}

async function readAll({ read }: Reader, query: StatisticsQuery): Promise<readonly StatisticsRow[]> {
  const rows = await read(query);
  if (rows.length < MAX_STATISTICS_ROWS) return rows;
  throw new Problem(400, 'has more groups than can be counted: choose other fields, or a part of the calls', 'by');
}

function callsIn(rows: readonly StatisticsRow[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Money counts whatever the outcome. */
function figuresOf(all: readonly StatisticsRow[], { common: { of } }: Reader): Figures {
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
