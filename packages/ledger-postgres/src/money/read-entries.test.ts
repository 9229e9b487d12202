import type { CheckedEntryQuery } from '@searchgate/core/ledger';
import { describe, expect, it } from 'vitest';
import type { Database } from '../engine/database.js';
import { placeOf, readEntries } from './read-entries.js';

it('takes positions of 64 bits from a cursor', () => {
  const position = 2n ** 63n - 1n;
  expect(placeOf(`${Number.MAX_SAFE_INTEGER}.${position}.0`)).toEqual({
    atMs: Number.MAX_SAFE_INTEGER,
    position,
    settled: 0n,
  });
});

it.each([`1.${2n ** 63n}.0`, '9007199254740992.1.0', '1.1', '1.1.', '.1.1', '-1.1.1', '1.1.1.1', '', 5, ['1.1.1']])(
  'refuses the cursor %j',
  (cursor) => {
    expect(() => placeOf(cursor as string)).toThrow(expect.objectContaining({ reason: 'invalid_cursor' }));
  },
);

/** Grants of one millisecond each, at these positions. */
const rowsAt = (...positions: number[]) =>
  positions.map((position) => ({
    kind: 'grant',
    id: `g-${position}`,
    organizationId: 'acme',
    keyId: null,
    amount: '5',
    atMs: position,
    position: `${position}`,
    note: 'n',
    reason: null,
    upstreamCost: null,
    tenantCost: null,
  }));

interface Log {
  /** Rows of each time it is read; then more of the last ones. */
  readonly rows?: ReturnType<typeof rowsAt>[];
  /** Up to where each wait says that nothing can appear any more. */
  readonly settled?: unknown[];
}

async function pageOf(query: Partial<CheckedEntryQuery>, { rows = [], settled = [] }: Log) {
  const asked: unknown[][] = [];
  const read = async (name: string, values: () => readonly unknown[]) => {
    asked.push([name, ...values()]);
    if (name === 'settle_log') return settled.shift();
    return rows.length > 1 ? rows.shift() : rows[0];
  };
  const page = await readEntries({ read } as unknown as Database, { limit: 2, ...query });
  return { ids: page.entries.map(({ id }) => id), next: page.nextCursor, asked, page };
}

const LIST = ['list_entries', null, null, 0, '-1', Number.MAX_SAFE_INTEGER, 3];

describe('a page', () => {
  it('of the whole log waits first for all who write', async () => {
    const { ids, next, asked } = await pageOf({}, { rows: [rowsAt(1, 2, 3)], settled: ['7'] });
    expect([ids, next, asked]).toEqual([['g-1', 'g-2'], '2.2.7', [['settle_log'], LIST]]);
  });

  it('is the last where no more follow', async () => {
    const { ids, next } = await pageOf({}, { rows: [rowsAt(1, 2)], settled: [7] });
    expect([ids, next]).toEqual([['g-1', 'g-2'], null]);
    expect(await pageOf({}, {})).toMatchObject({ ids: [], next: null });
  });

  it('leaves to the next one what was written since the wait', async () => {
    const { ids, next } = await pageOf({}, { rows: [rowsAt(1, 8)], settled: ['7'] });
    expect([ids, next]).toEqual([['g-1'], '1.1.7']);
  });

  it('has what was written since where it would be empty without', async () => {
    const { ids, next } = await pageOf({}, { rows: [rowsAt(8, 9)], settled: ['7'] });
    expect([ids, next]).toEqual([['g-8', 'g-9'], null]);
  });

  it.each([{ organizationId: 'acme' }, { keyId: 'key-1' }])('of %j waits for no one', async (owner) => {
    const { ids, next, asked } = await pageOf(owner, { rows: [rowsAt(1, 2, 3)] });
    const { organizationId = null, keyId = null } = owner as Partial<CheckedEntryQuery>;
    expect([ids, next]).toEqual([['g-1', 'g-2'], '2.2.0']);
    expect(asked).toEqual([['list_entries', organizationId, keyId, ...LIST.slice(3)]]);
    expect((await pageOf({ ...owner, cursor: '1.1.7' }, { rows: [rowsAt(8, 9)] })).asked).toHaveLength(1);
  });

  it('behind another waits only where the wait of that does not cover it', async () => {
    const covered = await pageOf({ cursor: '1.1.7' }, { rows: [rowsAt(2, 3, 7)] });
    expect([covered.ids, covered.next]).toEqual([['g-2', 'g-3'], '3.3.7']);
    expect(covered.asked).toEqual([['list_entries', null, null, 1, '1', Number.MAX_SAFE_INTEGER, 3]]);
    const uncovered = await pageOf({ cursor: '1.1.7' }, { rows: [rowsAt(2, 8), rowsAt(2, 3, 8)], settled: ['9'] });
    expect([uncovered.ids, uncovered.next]).toEqual([['g-2', 'g-3'], '3.3.9']);
    const list = ['list_entries', null, null, 1, '1', Number.MAX_SAFE_INTEGER, 3];
    expect(uncovered.asked).toEqual([list, ['settle_log'], list]);
  });
});
