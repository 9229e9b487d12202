import { csvText } from '@searchgate/core/administration';
import type { UsageLine } from './contract.js';

const COLUMNS = ['requests', 'charged', 'cachedRequests', 'upstreamCost', 'lost', 'granted', 'adjusted'] as const;

/** RFC 4180, whose lines end like this. */
const LINE_END = '\r\n';

/** Usage as CSV. Amounts are decimal USD. Tags, which are groups, come from callers. */
export function csvOf(by: string, lines: readonly UsageLine[]): string {
  const rows = lines.map((line) => [csvText(line.group ?? ''), ...COLUMNS.map((column) => line[column])]);
  return [[by, ...COLUMNS], ...rows].map((row) => `${row.join(',')}${LINE_END}`).join('');
}
