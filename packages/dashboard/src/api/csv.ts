import type { UsageLine } from './contract.js';

const COLUMNS = ['requests', 'charged', 'cachedRequests', 'upstreamCost', 'lost', 'granted', 'adjusted'] as const;

/** RFC 4180, whose lines end like this. */
const LINE_END = '\r\n';
/** What makes spreadsheets take a text for a formula. */
const FORMULA_START = /^[=+\-@\t\r＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** Usage as CSV. Amounts are decimal USD. A group that a spreadsheet would run as a formula begins with an apostrophe. */
export function csvOf(by: string, lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => [cell(line.group ?? ''), ...COLUMNS.map((column) => line[column])]);
  return [[by, ...COLUMNS], ...rows].map((row) => `${row.join(',')}${LINE_END}`).join('');
}

/** Tags come from callers. */
function cell(text: string): string {
  const harmless = FORMULA_START.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
