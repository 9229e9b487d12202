import { markdownTable } from 'markdown-table';
import type { Rounds } from './drive.js';
import type { Mode } from './modes.js';
import { type Stage, TARGETS, type Target, type TargetId } from './stage.js';
import { type Figure, figureOf, type Read } from './statistics.js';

/** One of the performance goals of the project, with a bound such as `≤ 1.5 ×`. */
export interface Goal {
  readonly number: number;
  readonly text: string;
  readonly bound: string;
  /** Null, or of no rounds, when what it compares took no part. */
  readonly measured: Figure | null;
}

/** What a run measures, and what the report says of it. */
export type Measurement = (stage: Stage, mode: Mode) => Promise<Outcome>;

export interface Outcome {
  readonly raw: unknown;
  readonly goals: readonly Goal[];
  readonly section: string;
}

const BYTES_PER_MB = 1024 ** 2;
const GOALS_TEXT =
  'The goals are those the project has set itself. "Close" means that the quartiles lie on both sides of the bound, "one round" that nothing is known of the spread: run it again, longer.';

export function goal(number: number, [text, bound]: readonly [string, string], measured: Figure | null): Goal {
  return { number, text, bound, measured };
}

export function goalsSection(goals: readonly Goal[]): string {
  const sorted = [...goals].sort((a, b) => a.number - b.number);
  const rows = sorted.flatMap(({ number, text, bound, measured }) => {
    if (measured === null || measured.rounds === 0) return [];
    return [[String(number), text, bound, withSpread(measured), verdict(bound, measured)]];
  });
  const head = ['goal', 'what', 'bound', 'measured', 'verdict'];
  return rows.length === 0 ? '' : section('Where we stand', GOALS_TEXT, table(head, rows));
}

export function verdict(bound: string, measured: Figure): string {
  const limit = Number(/[\d.,]+/.exec(bound)?.[0].replaceAll(',', ''));
  const meets = (value: number) => (bound.startsWith('≤') ? value <= limit : value >= limit);
  const word = meets(measured.median) ? 'met' : 'not met';
  if (measured.rounds === 1) return `${word}, one round`;
  return meets(measured.low) === meets(measured.high) ? word : `${word}, close`;
}

/** Three significant digits or all whole ones, without exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return count(Math.round(value));
  if (Number.isInteger(value)) return String(value);
  if (value > 0 && value < 0.095) return String(Number(value.toPrecision(2)));
  return value.toFixed(magnitude >= 10 ? 1 : 2);
}

/** The median and, where there were several rounds, the quartiles in brackets. */
export function withSpread({ rounds, median: middle, low, high }: Figure): string {
  return rounds > 1 ? `${short(middle)} (${short(low)}–${short(high)})` : short(middle);
}

export function median<Value>(rounds: readonly Value[], read: Read<Value>): string {
  return short(figureOf(rounds, read).median);
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function megabytes(bytes: number): string {
  return count(Math.round(bytes / BYTES_PER_MB));
}

/** A Markdown table. Columns whose cells are all figures are aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isFigure = (cell = '') => /^[\d–-]/.test(cell);
  const align = head.map((_, column) => (rows.every((row) => isFigure(row[column])) ? 'right' : null));
  return markdownTable([head, ...rows], { align, alignDelimiters: false });
}

export function section(title: string, text: string, body: string): string {
  return `## ${title}\n\n${text}\n\n${body}`;
}

/** The servers that took part, in the order of their turns. */
export function present<Value>(rounds: Rounds<Value>): [Target, readonly Value[]][] {
  return TARGETS.flatMap((target) => {
    const values = rounds[target.id];
    return values === undefined ? [] : [[target, values] as [Target, readonly Value[]]];
  });
}

/** One server against another, round by round; null when either took no part. */
export function compare<Value>(
  rounds: Rounds<Value>,
  [id, base]: readonly [TargetId, TargetId],
  by: (own: readonly Value[], other: readonly Value[]) => Figure,
): Figure | null {
  const own = rounds[id];
  const other = rounds[base];
  return own === undefined || other === undefined ? null : by(own, other);
}
