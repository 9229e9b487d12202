import { formatUsd, type NanoUsd } from '@searchgate/core';
import { type Column, table } from '../admin/table.js';
import { type CheckName, type Finding, findingsOf, type Observation } from './checks.js';

/** A call with what was found. */
export interface Row {
  readonly model: string;
  readonly kind: string;
  readonly call: string;
  readonly verdict: 'ok' | 'warning' | 'fault';
  readonly findings: readonly (Finding & { readonly check: CheckName })[];
  /** Charged and lost, in nanodollars. */
  readonly cost: NanoUsd;
  /** `null` without a charge. */
  readonly costSource: string | null;
  readonly durationMs: number;
}

/** The whole run. */
export interface Run {
  readonly rows: readonly Row[];
  readonly planned: number;
  readonly estimated: NanoUsd;
  /** Why calls were left out; `null` for none. */
  readonly ended: string | null;
  /** Whether fields were compared with fixtures. */
  readonly hasFixtures: boolean;
}

export function rowOf(seen: Observation): Row {
  const findings = findingsOf(seen);
  const paid = seen.entries.filter(({ kind }) => kind === 'charge' || kind === 'loss');
  const charge = seen.entries.find((entry) => entry.kind === 'charge');
  return {
    model: seen.call.row.slug,
    kind: seen.call.kind,
    call: seen.call.variant,
    verdict: worst(findings.map(({ level }) => level)),
    findings,
    cost: paid.reduce((sum, { amount }) => sum + amount, 0n),
    costSource: charge?.costSource ?? null,
    durationMs: Math.round(seen.durationMs),
  };
}

function worst(verdicts: readonly Row['verdict'][]): Row['verdict'] {
  return (['fault', 'warning'] as const).find((each) => verdicts.includes(each)) ?? 'ok';
}

export const costOf = (rows: readonly Row[]) => rows.reduce((sum, { cost }) => sum + cost, 0n);

/** The verdict of each model over all its calls, for `verified.json`. */
export function verdictsOf(rows: readonly Row[], { day, version }: { readonly day: string; readonly version: string }) {
  const models = [...new Set(rows.map(({ model }) => model))];
  return Object.fromEntries(
    models.map((model) => {
      const verdict = worst(rows.filter((row) => row.model === model).map((row) => row.verdict));
      return [model, { day, version, verdict }];
    }),
  );
}

/** @returns 0; 1 for a fault; 2 where nothing was checked. */
export function exitCodeOf(rows: readonly Row[]): number {
  return rows.length === 0 ? 2 : Number(rows.some(({ verdict }) => verdict === 'fault'));
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'MODEL', of: ({ model }) => model },
  { title: 'CALL', of: ({ call }) => call },
  { title: 'VERDICT', of: ({ verdict }) => verdict },
  { title: 'USD', of: ({ cost }) => formatUsd(cost), align: 'right' },
  { title: 'SOURCE', of: ({ costSource }) => costSource ?? '' },
  { title: 'MS', of: ({ durationMs }) => String(durationMs), align: 'right' },
];

export function reportText({ rows, planned, estimated, ended, hasFixtures }: Run): string {
  const findings = rows.flatMap((row) =>
    row.findings.map(({ check, level, message }) => `${row.model} (${row.call}): ${level}, ${check}: ${message}`),
  );
  const count = (verdict: Row['verdict']) => rows.filter((row) => row.verdict === verdict).length;
  const sums = `${rows.length} of ${planned} calls: ${count('ok')} ok, ${count('warning')} with a warning, ${count('fault')} with a fault. ${formatUsd(costOf(rows))} USD, estimated ${formatUsd(estimated)} USD.`;
  const early = ended === null ? [] : [`Ended early: ${ended}.`];
  const fixtures = hasFixtures ? [] : ['Fields were not compared with the fixtures, which only a checkout has.'];
  const calls = rows.length === 0 ? [] : [table(COLUMNS, rows), ''];
  return [...calls, ...findings, sums, ...early, ...fixtures].join('\n');
}

export function reportJson({ rows, planned, estimated, ended, hasFixtures }: Run, about: object): object {
  const calls = rows.map((row) => ({ ...row, cost: formatUsd(row.cost) }));
  const sums = { planned, estimated: formatUsd(estimated), charged: formatUsd(costOf(rows)), ended, hasFixtures };
  return { ...about, ...sums, verdict: worst(rows.map(({ verdict }) => verdict)), calls };
}
