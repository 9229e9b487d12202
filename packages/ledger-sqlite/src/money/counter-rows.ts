import {
  type KeyCounters,
  NO_KEY_COUNTERS,
  NO_ORGANIZATION_COUNTERS,
  type OrganizationCounters,
} from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';

interface KeyRow {
  readonly usage: bigint;
  readonly held: bigint;
  readonly latest_day: bigint;
  readonly before_day: bigint;
  readonly before_week: bigint;
  readonly before_month: bigint;
}

const READ_ORGANIZATION = 'SELECT credits, usage, held FROM searchgate_organization_totals WHERE id = ?';
const READ_KEY = `SELECT usage, held, latest_day, before_day, before_week, before_month
  FROM searchgate_key_totals WHERE id = ?`;
const WRITE_ORGANIZATION = `INSERT INTO searchgate_organization_totals (id, credits, usage, held) VALUES (?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET credits = excluded.credits, usage = excluded.usage, held = excluded.held`;
const WRITE_KEY = `INSERT INTO searchgate_key_totals (id, usage, held, latest_day, before_day, before_week, before_month)
  VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET usage = excluded.usage, held = excluded.held, latest_day = excluded.latest_day,
  before_day = excluded.before_day, before_week = excluded.before_week, before_month = excluded.before_month`;

/** All zero for one never seen. */
export function readOrganizationCounters(connection: Connection, id: string): OrganizationCounters {
  const row = connection.statement<OrganizationCounters>(READ_ORGANIZATION).get(id) ?? NO_ORGANIZATION_COUNTERS;
  const { credits, usage, held } = row;
  return { credits, usage, held };
}

export function writeOrganizationCounters(connection: Connection, id: string, counters: OrganizationCounters): void {
  connection.statement(WRITE_ORGANIZATION).run(id, counters.credits, counters.usage, counters.held);
}

/** All zero for one never seen. */
export function readKeyCounters(connection: Connection, id: string): KeyCounters {
  const row = connection.statement<KeyRow>(READ_KEY).get(id);
  if (row === undefined) return { ...NO_KEY_COUNTERS };
  return {
    usage: row.usage,
    held: row.held,
    latestDay: Number(row.latest_day),
    beforeDay: row.before_day,
    beforeWeek: row.before_week,
    beforeMonth: row.before_month,
  };
}

export function writeKeyCounters(connection: Connection, id: string, counters: KeyCounters): void {
  const { usage, held, latestDay, beforeDay, beforeWeek, beforeMonth } = counters;
  connection.statement(WRITE_KEY).run(id, usage, held, BigInt(latestDay), beforeDay, beforeWeek, beforeMonth);
}
