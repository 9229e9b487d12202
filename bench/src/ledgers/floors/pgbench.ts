import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type PostgresQuery, postgresLedger } from '@searchgate/ledger-postgres';
import { Pool } from 'pg';
import {
  type Floor,
  grantAll,
  holdAndSettle,
  MANY,
  type PairLoad,
  type PairSample,
  rename,
  sampleOf,
  verifyCharges,
} from '../pairs.js';

/** As many digits as there can be without losing one, and always as many, so that all ids are of the same length. */
const HOLDS = 'random(1000000000000000, 8999999999999999)';
/** Each ends the text around it, and begins it again. */
const VARIABLES = {
  hold: "ans_0000000000' || :hold::text || '",
  organization: "organization-' || :organization::text || '",
};
const MICROS_PER_MS = 1_000;

/** pgbench sends what the ledger sends for one pair, in a database of its own. */
export async function pgbenchFloor(program: string, url: string, scratch: string): Promise<Floor> {
  const pool = new Pool({ connectionString: url }).on('error', () => {});
  const sent: PostgresQuery[] = [];
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (query: PostgresQuery) => unknown;
    Object.assign(client, { query: (...[each]: [PostgresQuery]) => sent.push(each) && query(each) });
  });
  const ledger = postgresLedger({ pool });
  await ledger.migrate();
  await grantAll(ledger);
  sent.length = 0;
  await holdAndSettle(ledger, 0, MANY);
  if (sent.length !== 2) throw new Error(`a hold and a settle took ${sent.length} statements, not 2`);
  const statements = sent.map(sqlOf);
  // The recording was a pair too.
  let done = 1;
  return {
    nameFor: () => 'pgbench',
    async pairs(load) {
      const folder = mkdtempSync(path.join(scratch, 'pgbench-'));
      const script = path.join(folder, 'pair.sql');
      const variables = [`\\set hold ${HOLDS}`, `\\set organization random(0, ${load.organizations - 1})`];
      writeFileSync(script, [...variables, ...statements, ''].join('\n'));
      const sample = await run(program, { folder, script, url }, load);
      rmSync(folder, { recursive: true, force: true });
      done += sample.pairs;
      return sample;
    },
    verify: () => verifyCharges(ledger, done),
    async stop() {
      await ledger.close();
      await pool.end();
    },
  };
}

async function run(
  program: string,
  { folder, script, url }: { folder: string; script: string; url: string },
  { callers, durationMs }: PairLoad,
): Promise<PairSample> {
  // It counts whole seconds only.
  const seconds = Math.max(1, Math.round(durationMs / 1_000));
  const threads = Math.min(callers, os.availableParallelism());
  const load = [`--client=${callers}`, `--jobs=${threads}`, `--time=${seconds}`, '--protocol=prepared', '--no-vacuum'];
  const log = ['--log', `--log-prefix=${path.join(folder, 'log')}`];
  const { stdout } = await promisify(execFile)(program, [...load, ...log, `--file=${script}`, url]);
  const rate = Number(/tps = ([\d.]+) \((?:without|excluding)/.exec(stdout)?.[1]);
  if (Number.isNaN(rate)) throw new Error(`pgbench printed no rate:\n${stdout}`);
  const logs = readdirSync(folder).filter((name) => name.startsWith('log'));
  const lines = logs.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').trimEnd().split('\n'));
  // A line for every pair: client, number, microseconds, and more.
  const latenciesMs = lines.map((line) => Number(line.split(' ')[2]) / MICROS_PER_MS);
  return { ...sampleOf(latenciesMs, seconds * 1_000), pairsPerSecond: rate };
}

function sqlOf({ text, values = [] }: PostgresQuery): string {
  return `${text.replaceAll(/\$(\d+)/g, (_, number: string) => literal(values[Number(number) - 1]))};`;
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw new TypeError(`a value of type ${typeof value} cannot be sent by pgbench`);
  // A space behind each colon keeps pgbench from taking what follows for a variable.
  const quoted = `'${rename(value.replaceAll('":', '": ').replaceAll("'", "''"), VARIABLES)}'`;
  return value.startsWith('[') ? `(${quoted})::json` : quoted;
}
