import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { PostgresQuery } from '@searchgate/ledger-postgres';
import { figureAt } from '../../statistics.js';
import type { LedgerCase, PairSample } from '../ledger-case.js';
import { pgbenchScript } from './pgbench-script.js';

const run = promisify(execFile);
const MICROS_PER_MS = 1_000;

export interface PgbenchSettings {
  readonly program: string;
  readonly url: string;
  /** Where files may be left; the caller removes it. */
  readonly scratch: string;
}

/** Runs a pair's statements through pgbench, each pair one of its transactions. */
export async function runPgbench(
  { program, url, scratch }: PgbenchSettings,
  statements: readonly PostgresQuery[],
  { organizations, callers, durationMs }: LedgerCase & { readonly durationMs: number },
): Promise<PairSample> {
  const folder = mkdtempSync(path.join(scratch, 'pgbench-'));
  const script = path.join(folder, 'pair.sql');
  writeFileSync(script, pgbenchScript(statements, organizations));
  // It counts whole seconds only.
  const seconds = Math.max(1, Math.round(durationMs / 1_000));
  const threads = Math.min(callers, os.availableParallelism());
  const options = [
    `--client=${callers}`,
    `--jobs=${threads}`,
    `--time=${seconds}`,
    '--protocol=prepared',
    '--no-vacuum',
  ];
  const log = ['--log', `--log-prefix=${path.join(folder, 'log')}`];
  const { stdout } = await run(program, [...options, ...log, `--file=${script}`, url]);
  const latenciesMs = readLatencies(folder);
  rmSync(folder, { recursive: true, force: true });
  return {
    pairs: latenciesMs.length,
    pairsPerSecond: rateOf(stdout),
    p50Ms: figureAt(latenciesMs, 0.5),
    p99Ms: figureAt(latenciesMs, 0.99),
  };
}

function rateOf(stdout: string): number {
  const [, rate] = /tps = ([\d.]+) \((?:without|excluding)/.exec(stdout) ?? [];
  if (rate === undefined) throw new Error(`pgbench told no rate:\n${stdout}`);
  return Number(rate);
}

/** A line of the log for every pair: client, number, microseconds, and more that is not needed. */
function readLatencies(folder: string): Float64Array {
  const logs = readdirSync(folder).filter((name) => name.startsWith('log'));
  const lines = logs.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'));
  return Float64Array.from(lines, (line) => Number(line.split(' ')[2]) / MICROS_PER_MS).sort();
}
