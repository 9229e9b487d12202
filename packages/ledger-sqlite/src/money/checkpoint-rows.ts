import type { Checkpoint, LogReplay, WindowedUsage } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection, SqliteValue } from '../engine/connection.js';
import { nextTurn } from '../engine/next-turn.js';

type OrganizationRow = readonly [id: string, credits: bigint, usage: bigint];

type KeyRow = readonly [
  id: string,
  usage: bigint,
  latestDay: bigint,
  beforeDay: bigint,
  beforeWeek: bigint,
  beforeMonth: bigint,
];

const FIRST = 'SELECT first_seq AS first FROM searchgate_log WHERE id = 1';
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

/** How many rows are read at once, while the event loop waits. */
const SLICE = 500;
const AFTER = `WHERE id > ? ORDER BY id LIMIT ${SLICE}`;

/**
 * All of it: as many rows as there are organizations and keys, a slice in each turn of the event loop.
 *
 * @throws Error where entries are removed between two slices.
 */
export async function readCheckpoint({ read }: Pick<Access, 'read'>): Promise<Checkpoint> {
  const cut = String(await read(firstPlace));

  async function all<Row extends readonly [id: string, ...unknown[]]>(sql: string): Promise<Row[]> {
    const rows: Row[] = [];
    let slice: readonly Row[];
    do {
      slice = await read((connection) => {
        checkCut(connection, cut);
        return connection.tuples<Row & readonly SqliteValue[]>(`${sql} ${AFTER}`).all(rows.at(-1)?.[0] ?? '');
      });
      rows.push(...slice);
      await nextTurn();
    } while (slice.length === SLICE);
    return rows;
  }

  const organizations = (await all<OrganizationRow>(READ_ORGANIZATIONS)).map(organizationOf);
  return { cut, organizations, keys: (await all<KeyRow>(READ_KEYS)).map(keyOf) };
}

/** @throws Error where the log does not begin any more where it did. */
export function checkCut(connection: Connection, cut: string): void {
  if (String(firstPlace(connection)) === cut) return;
  throw new Error('entries were removed from the log while it was audited: audit it again');
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
