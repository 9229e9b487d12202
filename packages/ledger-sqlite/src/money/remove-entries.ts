import { budgetName, createLogReplay, type ReplayedEntry } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { firstPlace, readCheckpointOf, writeCheckpoint } from './checkpoint-rows.js';
import { type Placed, readReplayedWhere } from './entry-rows.js';
import { placeOf } from './read-entries.js';

/** How many entries are looked at in one transaction, for which others wait. */
const SLICE = 500;

const readSlice = readReplayedWhere(`seq >= ? AND seq < ? ORDER BY seq LIMIT ${SLICE}`);
const DELETE = `DELETE FROM searchgate_entries WHERE seq >= ? AND seq < ? AND kind IN ('charge', 'loss', 'expired')`;
const CUT = 'UPDATE searchgate_log SET first_seq = ? WHERE id = 1';

interface Removed {
  readonly entries: number;
  readonly isMore: boolean;
}

/**
 * Removes what stands in the log before a cursor, a slice in each transaction. The pages of the file that become empty are used for what is written next; the
 * file itself does not become smaller.
 *
 * @returns how many entries were removed.
 */
export async function removeEntries({ read, write }: Access, cursor: string): Promise<number> {
  const behind = await read((connection) => placeOf(connection, cursor));
  let entries = 0;
  for (let isMore = true; isMore; ) {
    const removed = await write(({ connection }) => removeSlice(connection, behind));
    entries += removed.entries;
    isMore = removed.isMore;
  }
  return entries;
}

function removeSlice(connection: Connection, behind: bigint): Removed {
  const first = firstPlace(connection);
  if (first >= behind) return { entries: 0, isMore: false };
  const rows = readSlice(connection, first, behind);
  addToCheckpoint(connection, rows);
  const last = rows.length === SLICE ? rows.at(-1) : undefined;
  const next = last === undefined ? behind : last.seq + 1n;
  connection.statement(CUT).run(next);
  return { entries: connection.statement(DELETE).run(first, next), isMore: next < behind };
}

function addToCheckpoint(connection: Connection, rows: readonly Placed<ReplayedEntry>[]): void {
  const organizations = new Set(rows.map(({ entry }) => entry.organizationId));
  const keys = new Set(rows.map(({ entry }) => entry.keyId).filter((id) => id !== null));
  const budgets = new Set(
    rows.flatMap(({ entry }) => entry.budgets?.map((id) => budgetName(entry.organizationId, id)) ?? []),
  );
  const replay = createLogReplay(readCheckpointOf(connection, { organizations, keys, budgets }));
  for (const { entry } of rows) replay.add(entry);
  writeCheckpoint(connection, replay);
}
