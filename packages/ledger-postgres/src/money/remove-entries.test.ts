import { describe, expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { removeEntries } from './remove-entries.js';

type Slice = { readonly removed: number; readonly atMs: number; readonly position: string };

/** A database that removes these slices, and from which places it was asked to. */
function databaseOf(...slices: Slice[]) {
  const asked: unknown[] = [];
  const write = async (_operation: string, { afterMs, afterPosition }: Record<string, unknown>) => {
    asked.push([afterMs, afterPosition]);
    return slices.shift();
  };
  return { database: { write } as unknown as Database, asked };
}

describe('removeEntries', () => {
  it('goes on behind each slice up to the place of the cursor, also within a millisecond', async () => {
    const { database, asked } = databaseOf(
      { removed: 1_000, atMs: 4, position: '9' },
      { removed: 900, atMs: 5, position: '7' },
      { removed: 3, atMs: 5, position: '9' },
      { removed: 1, atMs: 6, position: '10' },
    );
    expect(await removeEntries(database, '5.9.0')).toBe(1_903);
    expect(asked).toEqual([
      [0, '-1'],
      [4, '9'],
      [5, '7'],
    ]);
  });

  it('ends where the function says nothing', async () => {
    const { database } = databaseOf({ removed: 2, atMs: 4, position: '8' });
    expect(await removeEntries(database, '5.9.0')).toBe(2);
  });
});
