import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { markdownTable } from 'markdown-table';
import type { Rounds } from './drive.js';
import { TARGETS, type Target } from './stage.js';
import { type Figure, figureOf, type Read } from './statistics.js';

const BYTES_PER_MB = 1024 ** 2;
/** Three significant digits, or all digits of the whole part, without exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return count(Math.round(value));
  if (Number.isInteger(value)) return String(value);
  if (value > 0 && value < 0.095) return String(Number(value.toPrecision(2)));
  return value.toFixed(magnitude >= 10 ? 1 : 2);
}

/** The median, and for several rounds the quartiles in brackets. */
export function withSpread({ rounds, median: middle, low, high }: Figure): string {
  return rounds > 1 ? `${short(middle)} (${short(low)}–${short(high)})` : short(middle);
}

export function median<Value>(rounds: readonly Value[], read: Read<Value>): string {
  return short(figureOf(rounds, read).median);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function megabytes(bytes: number): string {
  return count(Math.round(bytes / BYTES_PER_MB));
}

/** A Markdown table. Columns of figures are right-aligned. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const isFigure = (cell = '') => /^[\d–-]/.test(cell);
  const align = head.map((_, column) => (rows.every((row) => isFigure(row[column])) ? 'right' : null));
  return markdownTable([head, ...rows], { align, alignDelimiters: false });
}

export function section(title: string, text: string, body: string): string {
  return `## ${title}\n\n${text}\n\n${body}`;
}

/** The measured servers, in order. */
export function present<Value>(rounds: Rounds<Value>): [Target, readonly Value[]][] {
  return TARGETS.flatMap((target) => {
    const values = rounds[target.id];
    return values === undefined ? [] : [[target, values] as [Target, readonly Value[]]];
  });
}

/** The environment of the measurement. */
export function environmentText(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim();
  const changes = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
  const cores = `${os.availableParallelism()} × ${os.cpus()[0]?.model ?? 'unknown'}`;
  return [
    `${new Date().toISOString().slice(0, 16)} UTC, commit ${git('rev-parse', '--short', 'HEAD')}${changes}.`,
    `Node ${process.version} on ${os.type()} ${os.arch()}, ${cores}; load average ${os.loadavg()[0]?.toFixed(1) ?? '–'}.`,
    'Medians over the rounds, in brackets the quartiles. Ratios hold on other machines, absolute figures do not.',
  ].join('\n');
}
