import type { OrganizationTotals } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';
import { type KeyBook, NO_KEY_BOOK, NO_TOTALS } from './totals.js';

interface OrganizationRow {
  readonly id: string;
  readonly credits: bigint;
  readonly usage: bigint;
  readonly held: bigint;
}

interface KeyRow {
  readonly id: string;
  readonly usage: bigint;
  readonly held: bigint;
  readonly day_starts_at_ms: bigint;
  readonly day_usage: bigint;
  readonly week_starts_at_ms: bigint;
  readonly week_usage: bigint;
  readonly month_starts_at_ms: bigint;
  readonly month_usage: bigint;
}

const READ_ORGANIZATIONS = 'SELECT id, credits, usage, held FROM searchgate_organization_totals';
const READ_KEYS = `SELECT id, usage, held, day_starts_at_ms, day_usage, week_starts_at_ms, week_usage,
  month_starts_at_ms, month_usage FROM searchgate_key_totals`;

const READ_ORGANIZATION = `${READ_ORGANIZATIONS} WHERE id = ?`;
const READ_KEY = `${READ_KEYS} WHERE id = ?`;
const AFTER = 'WHERE id > ? ORDER BY id LIMIT ?';
const WRITE_ORGANIZATION = `INSERT INTO searchgate_organization_totals (id, credits, usage, held) VALUES (?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET credits = excluded.credits, usage = excluded.usage, held = excluded.held`;
const WRITE_KEY = `INSERT INTO searchgate_key_totals (id, usage, held, day_starts_at_ms, day_usage, week_starts_at_ms,
  week_usage, month_starts_at_ms, month_usage) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET usage = excluded.usage, held = excluded.held,
  day_starts_at_ms = excluded.day_starts_at_ms, day_usage = excluded.day_usage,
  week_starts_at_ms = excluded.week_starts_at_ms, week_usage = excluded.week_usage,
  month_starts_at_ms = excluded.month_starts_at_ms, month_usage = excluded.month_usage`;

/** All zero for one never seen. */
export function readOrganization(connection: Connection, id: string): OrganizationTotals {
  const row = connection.statement<OrganizationRow>(READ_ORGANIZATION).get(id);
  return row === undefined ? NO_TOTALS : totalsOf(row);
}

/** Up to `count` with ids after this one, in the order of ids. */
export function readOrganizationsAfter(
  connection: Connection,
  id: string,
  count: number,
): [string, OrganizationTotals][] {
  const rows = connection.statement<OrganizationRow>(`${READ_ORGANIZATIONS} ${AFTER}`).all(id, BigInt(count));
  return rows.map((row) => [row.id, totalsOf(row)]);
}

function totalsOf({ credits, usage, held }: OrganizationRow): OrganizationTotals {
  return { credits, usage, held };
}

export function writeOrganization(connection: Connection, id: string, totals: OrganizationTotals): void {
  connection.statement(WRITE_ORGANIZATION).run(id, totals.credits, totals.usage, totals.held);
}

/** All zero for one never seen. */
export function readKeyBook(connection: Connection, id: string): KeyBook {
  const row = connection.statement<KeyRow>(READ_KEY).get(id);
  return row === undefined ? NO_KEY_BOOK : keyBookOf(row);
}

/** Up to `count` with ids after this one, in the order of ids. */
export function readKeysAfter(connection: Connection, id: string, count: number): [string, KeyBook][] {
  const rows = connection.statement<KeyRow>(`${READ_KEYS} ${AFTER}`).all(id, BigInt(count));
  return rows.map((row) => [row.id, keyBookOf(row)]);
}

function keyBookOf(row: KeyRow): KeyBook {
  return {
    usage: row.usage,
    held: row.held,
    windows: {
      daily: { startsAtMs: Number(row.day_starts_at_ms), usage: row.day_usage },
      weekly: { startsAtMs: Number(row.week_starts_at_ms), usage: row.week_usage },
      monthly: { startsAtMs: Number(row.month_starts_at_ms), usage: row.month_usage },
    },
  };
}

export function writeKeyBook(connection: Connection, id: string, { usage, held, windows }: KeyBook): void {
  const { daily, weekly, monthly } = windows;
  const ofWindows = [daily, weekly, monthly].flatMap((window) => [BigInt(window.startsAtMs), window.usage]);
  connection.statement(WRITE_KEY).run(id, usage, held, ...ofWindows);
}
