import { formatUsd } from '@searchgate/core';
import { type Column, table } from '../admin/table.js';
import { findingsOf, type Seen } from './checks.js';

/** A call with what was found. `cost` is charged and lost, in nanodollars; `costSource` is `null` without a charge. */
export type Row = ReturnType<typeof rowOf>;

/** The whole run. `estimated` is in nanodollars; `ended` says why calls were left out, and is `null` for none. */
export interface Run {
  readonly rows: readonly Row[];
  readonly planned: number;
  readonly estimated: bigint;
  readonly ended: string | null;
  /** Providers of which there are no fixtures: the fields of their replies were not compared. */
  readonly withoutFixtures: readonly string[];
}

export function rowOf(seen: Seen) {
  const { row, kind, variant } = seen.call;
  const findings = findingsOf(seen);
  const paid = seen.entries.map((entry) => (entry.kind === 'charge' || entry.kind === 'loss' ? entry.amount : 0n));
  return {
    model: row.slug,
    kind,
    call: variant,
    verdict: worst(findings.map(({ level }) => level)),
    findings,
    cost: paid.reduce((sum, amount) => sum + amount, 0n),
    costSource: seen.entries.find((entry) => entry.kind === 'charge')?.costSource ?? null,
    durationMs: Math.round(seen.durationMs),
  };
}

function worst(verdicts: readonly string[]) {
  return (['fault', 'warning'] as const).find((each) => verdicts.includes(each)) ?? 'ok';
}

export const verdictOf = (rows: readonly Row[]) => worst(rows.map(({ verdict }) => verdict));
export const costOf = (rows: readonly Row[]) => rows.reduce((sum, { cost }) => sum + cost, 0n);

const COLUMNS: readonly Column<Row>[] = [
  { title: 'MODEL', of: ({ model }) => model },
  { title: 'CALL', of: ({ call }) => call },
  { title: 'VERDICT', of: ({ verdict }) => verdict },
  { title: 'USD', of: ({ cost }) => formatUsd(cost), align: 'right' },
  { title: 'SOURCE', of: ({ costSource }) => costSource ?? '' },
  { title: 'MS', of: ({ durationMs }) => String(durationMs), align: 'right' },
];

export function reportText({ rows, planned, estimated, ended, withoutFixtures }: Run): string {
  const findings = rows.flatMap((row) =>
    row.findings.map(({ check, level, message }) => `${row.model} (${row.call}): ${level}, ${check}: ${message}`),
  );
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length;
  const sums = `${rows.length} of ${planned} calls: ${count('ok')} ok, ${count('warning')} with a warning, ${count('fault')} with a fault. ${formatUsd(costOf(rows))} USD, estimated ${formatUsd(estimated)} USD.`;
  const early = ended === null ? [] : [`Ended early: ${ended}.`];
  const fixtures = withoutFixtures.map((id) => `Fields of ${id} were not compared: there are no fixtures.`);
  const calls = rows.length === 0 ? [] : [table(COLUMNS, rows), ''];
  return [...calls, ...findings, sums, ...early, ...fixtures].join('\n');
}

export function reportJson({ rows, estimated, ...run }: Run, about: object): string {
  const calls = rows.map((row) => ({ ...row, cost: formatUsd(row.cost) }));
  const sums = { estimated: formatUsd(estimated), charged: formatUsd(costOf(rows)), verdict: verdictOf(rows) };
  return JSON.stringify({ ...about, ...run, ...sums, calls }, null, 2);
}
