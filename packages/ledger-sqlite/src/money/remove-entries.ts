import { createLogReplay } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Connection } from '../engine/connection.js';
import { firstPlace, readCheckpointOf, writeCheckpoint } from './checkpoint-rows.js';
import type { EntryRow } from './entry-rows.js';
import { placeOf } from './read-entries.js';

/** How many entries are looked at in one transaction, for which others wait. */
const SLICE = 500;

const READ_SLICE = `SELECT seq, kind, organization_id, key_id, amount, at_ms FROM searchgate_entries
  WHERE seq >= ? AND seq < ? ORDER BY seq LIMIT ${SLICE}`;
const DELETE = `DELETE FROM searchgate_entries WHERE seq >= ? AND seq < ? AND kind IN ('charge', 'loss', 'expired')`;
const CUT = 'UPDATE searchgate_log SET first_seq = ? WHERE id = 1';

type RemovedRow = Pick<EntryRow, 'seq' | 'kind' | 'organization_id' | 'key_id' | 'amount' | 'at_ms'>;

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
  const rows = connection.statement<RemovedRow>(READ_SLICE).all(first, behind);
  addToCheckpoint(connection, rows);
  const last = rows.length === SLICE ? rows.at(-1) : undefined;
  const next = last === undefined ? behind : last.seq + 1n;
  connection.statement(CUT).run(next);
  return { entries: connection.statement(DELETE).run(first, next), isMore: next < behind };
}

function addToCheckpoint(connection: Connection, rows: readonly RemovedRow[]): void {
  const organizations = new Set(rows.map((row) => row.organization_id));
  const keys = new Set(rows.map((row) => row.key_id).filter((id) => id !== null));
  const replay = createLogReplay(readCheckpointOf(connection, { organizations, keys }));
  for (const { kind, organization_id: organizationId, key_id: keyId, amount, at_ms: atMs } of rows) {
    replay.add({ kind, organizationId, keyId, amount, atMs: Number(atMs) });
  }
  writeCheckpoint(connection, replay);
}
