import { expect, it } from 'vitest';
import { placeOf } from './read-entries.js';

it('takes positions of 64 bits from a cursor', () => {
  const position = 2n ** 63n - 1n;
  expect(placeOf(`${Number.MAX_SAFE_INTEGER}.${position}.0`)).toEqual({
    atMs: Number.MAX_SAFE_INTEGER,
    position,
    settled: 0n,
  });
});

it.each([`1.${2n ** 63n}.0`, '9007199254740992.1.0', '1.1', '1.1.', '.1.1', '-1.1.1', '1.1.1.1', '', 5])(
  'refuses the cursor %j',
  (cursor) => {
    expect(() => placeOf(cursor as string)).toThrow(expect.objectContaining({ reason: 'invalid_cursor' }));
  },
);
