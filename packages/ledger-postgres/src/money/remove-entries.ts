import type { Database } from '../engine/database.js';
import { placeOf } from './read-entries.js';

/** So many entries are looked at in one transaction, and those of them that go are removed. */
const SLICE = 1_000;

interface Slice {
  readonly removed: number;
  readonly atMs: number;
  readonly position: string;
}

/** Removes what the log has before a place, slice by slice. @returns how many entries this call removed. */
export async function removeEntries({ write }: Database, cursor: string): Promise<number> {
  const { atMs: toMs, position } = placeOf(cursor);
  const toPosition = `${position}`;
  let count = 0;
  let after = { atMs: 0, position: '-1' };
  do {
    const argument = { afterMs: after.atMs, afterPosition: after.position, toMs, toPosition, most: SLICE };
    const slice = await write<Slice>('remove_entries', argument);
    if (slice === undefined) break;
    count += slice.removed;
    after = slice;
  } while (after.atMs !== toMs || after.position !== toPosition);
  return count;
}
