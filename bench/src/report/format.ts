import type { Figure } from '../statistics.js';

const BYTES_PER_MB = 1024 ** 2;

/** Three significant digits or all whole ones, without exponent. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return count(Math.round(value));
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(magnitude >= 10 ? 1 : 2);
}

/** With two digits also where it is far below one. */
export function milliseconds(value: number): string {
  return value > 0 && value < 0.1 ? String(Number(value.toPrecision(2))) : short(value);
}

/** The middle and, where there were several rounds, the quarter marks in brackets. */
export function withSpread({ rounds, median, low, high }: Figure): string {
  return rounds === 1 ? short(median) : `${short(median)} (${short(low)}–${short(high)})`;
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}

export function megabytes(bytes: number): string {
  return Math.round(bytes / BYTES_PER_MB).toString();
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A Markdown table. Columns whose cells are all figures stand to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const isFigure = (cell = '') => /^[\d–-]/.test(cell);
  const rule = head.map((_, column) => (rows.every((row) => isFigure(row[column])) ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
