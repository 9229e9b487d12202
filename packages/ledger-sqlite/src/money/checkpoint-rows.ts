import type { Checkpoint, LogReplay, WindowedUsage } from '@searchgate/core/ledger';
import type { Connection } from '../engine/connection.js';

type OrganizationRow = readonly [id: string, credits: bigint, usage: bigint];

type KeyRow = readonly [
  id: string,
  usage: bigint,
  latestDay: bigint,
  beforeDay: bigint,
  beforeWeek: bigint,
  beforeMonth: bigint,
];

const FIRST = 'SELECT first_seq AS first FROM searchgate_log';
const READ_ORGANIZATIONS = 'SELECT id, credits, usage FROM searchgate_organization_checkpoints';
const READ_KEYS = 'SELECT id, usage, latest_day, before_day, before_week, before_month FROM searchgate_key_checkpoints';
const OF_ID = 'WHERE id = ?';
const WRITE_ORGANIZATION = `INSERT INTO searchgate_organization_checkpoints (id, credits, usage) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET credits = excluded.credits, usage = excluded.usage`;
const WRITE_KEY = `INSERT INTO searchgate_key_checkpoints (id, usage, latest_day, before_day, before_week, before_month)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET usage = excluded.usage, latest_day = excluded.latest_day, before_day = excluded.before_day,
    before_week = excluded.before_week, before_month = excluded.before_month`;

/** The place the log begins with: all before it is in the checkpoint. */
export function firstPlace(connection: Connection): bigint {
  return connection.statement<{ readonly first: bigint }>(FIRST).get()?.first ?? 1n;
}

/** All of it: as many rows as there are organizations and keys. */
export function readCheckpoint(connection: Connection): Checkpoint {
  return {
    cut: String(firstPlace(connection)),
    organizations: connection.tuples<OrganizationRow>(READ_ORGANIZATIONS).all().map(organizationOf),
    keys: connection.tuples<KeyRow>(READ_KEYS).all().map(keyOf),
  };
}

/** The part of it that is about these organizations and keys. */
export function readCheckpointOf(
  connection: Connection,
  ids: { readonly organizations: Iterable<string>; readonly keys: Iterable<string> },
): Checkpoint {
  const organization = connection.tuples<OrganizationRow>(`${READ_ORGANIZATIONS} ${OF_ID}`);
  const key = connection.tuples<KeyRow>(`${READ_KEYS} ${OF_ID}`);
  return {
    cut: String(firstPlace(connection)),
    organizations: [...ids.organizations].flatMap((id) => organization.all(id).map(organizationOf)),
    keys: [...ids.keys].flatMap((id) => key.all(id).map(keyOf)),
  };
}

/** Writes what a replay has come to. */
export function writeCheckpoint(connection: Connection, { organizations, keys }: LogReplay): void {
  const organization = connection.statement(WRITE_ORGANIZATION);
  for (const [id, { credits, usage }] of organizations) organization.run(id, credits, usage);
  const key = connection.statement(WRITE_KEY);
  for (const [id, { usage, latestDay, beforeDay, beforeWeek, beforeMonth }] of keys) {
    key.run(id, usage, BigInt(latestDay), beforeDay, beforeWeek, beforeMonth);
  }
}

function organizationOf([id, credits, usage]: OrganizationRow) {
  return [id, { credits, usage }] as const;
}

function keyOf([id, usage, latestDay, beforeDay, beforeWeek, beforeMonth]: KeyRow): readonly [string, WindowedUsage] {
  return [id, { usage, latestDay: Number(latestDay), beforeDay, beforeWeek, beforeMonth }];
}
