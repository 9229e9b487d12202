import {
  type KeyCounters,
  NO_KEY_COUNTERS,
  NO_ORGANIZATION_COUNTERS,
  type OrganizationCounters,
  type RateState,
} from '@searchgate/core/ledger';
import type { Connection, SqliteValue } from '../engine/connection.js';

/** What is used of a rate, as it is stored. */
interface StoredRate extends RateState {
  /** From when on nothing of it is left. */
  readonly drainsAtMs: number;
}

/** Kept in the row of the counters, which a hold reads and writes anyway. */
interface Rated {
  readonly rate?: StoredRate | undefined;
  /** What it becomes; a row is written without its rate where that stays as it is. */
  newRate?: StoredRate | undefined;
}

export type RatedOrganization = OrganizationCounters & Rated;
export type RatedKey = KeyCounters & Rated;

/** `null` where there is no rate. */
type RateColumns = readonly [used: number | null, atMs: bigint | null, drainsAtMs: bigint | null];

type OrganizationRow = readonly [credits: bigint, usage: bigint, held: bigint, inFlight: bigint, ...RateColumns];

type KeyRow = readonly [
  usage: bigint,
  held: bigint,
  inFlight: bigint,
  latestDay: bigint,
  beforeDay: bigint,
  beforeWeek: bigint,
  beforeMonth: bigint,
  ...RateColumns,
];

const OF_RATE = ['rate_used', 'rate_at_ms', 'rate_drains_at_ms'] as const;
const ORGANIZATION = statementsOf('searchgate_organization_totals', ['credits', 'usage', 'held', 'in_flight']);
const KEY = statementsOf('searchgate_key_totals', [
  'usage',
  'held',
  'in_flight',
  'latest_day',
  'before_day',
  'before_week',
  'before_month',
]);

/** All zero for one never seen. */
export function readOrganizationCounters(connection: Connection, id: string): RatedOrganization {
  const row = connection.tuples<OrganizationRow>(ORGANIZATION.read).get(id);
  if (row === undefined) return { ...NO_ORGANIZATION_COUNTERS };
  const [credits, usage, held, inFlight, used, atMs, drainsAtMs] = row;
  return { credits, usage, held, inFlight: Number(inFlight), rate: rateOf(used, atMs, drainsAtMs) };
}

export function writeOrganizationCounters(connection: Connection, id: string, counters: RatedOrganization): void {
  const { credits, usage, held, inFlight, newRate } = counters;
  write(connection, ORGANIZATION, { newRate, values: [id, credits, usage, held, BigInt(inFlight)] });
}

/** All zero for one never seen. */
export function readKeyCounters(connection: Connection, id: string): RatedKey {
  const row = connection.tuples<KeyRow>(KEY.read).get(id);
  if (row === undefined) return { ...NO_KEY_COUNTERS };
  const [usage, held, inFlight, latestDay, beforeDay, beforeWeek, beforeMonth, used, atMs, drainsAtMs] = row;
  return {
    usage,
    held,
    inFlight: Number(inFlight),
    latestDay: Number(latestDay),
    beforeDay,
    beforeWeek,
    beforeMonth,
    rate: rateOf(used, atMs, drainsAtMs),
  };
}

export function writeKeyCounters(connection: Connection, id: string, counters: RatedKey): void {
  const { usage, held, inFlight, latestDay, beforeDay, beforeWeek, beforeMonth, newRate } = counters;
  const windows = [BigInt(latestDay), beforeDay, beforeWeek, beforeMonth] as const;
  write(connection, KEY, { newRate, values: [id, usage, held, BigInt(inFlight), ...windows] });
}

interface CounterStatements {
  readonly read: string;
  /** Leaves the rate as it is. */
  readonly write: string;
  readonly writeWithRate: string;
}

function statementsOf(table: string, columns: readonly string[]): CounterStatements {
  const all = [...columns, ...OF_RATE];
  return {
    read: `SELECT ${all.join(', ')} FROM ${table} WHERE id = ?`,
    write: upsert(table, columns),
    writeWithRate: upsert(table, all),
  };
}

function upsert(table: string, columns: readonly string[]): string {
  const places = columns.map(() => ', ?').join('');
  const changes = columns.map((column) => `${column} = excluded.${column}`).join(', ');
  return `INSERT INTO ${table} (id, ${columns.join(', ')}) VALUES (?${places}) ON CONFLICT (id) DO UPDATE SET ${changes}`;
}

function write(
  connection: Connection,
  statements: CounterStatements,
  { values, newRate }: Pick<Rated, 'newRate'> & { readonly values: readonly SqliteValue[] },
): void {
  if (newRate === undefined) {
    connection.statement(statements.write).run(...values);
    return;
  }
  const ofRate = [newRate.used, BigInt(newRate.atMs), BigInt(newRate.drainsAtMs)] as const;
  connection.statement(statements.writeWithRate).run(...values, ...ofRate);
}

function rateOf(...[used, atMs, drainsAtMs]: RateColumns): StoredRate | undefined {
  if (used === null) return undefined;
  return { used, atMs: Number(atMs), drainsAtMs: Number(drainsAtMs) };
}
