import { describe, expect, it } from 'vitest';
import type { Scripts } from '../engine/scripts.js';
import { checkEntryCursor, readEntries } from './read-entries.js';

/** Scripts that find so many grants at a time in a log of so many, and what they were asked for. */
function logOf(length: number, atOnce: number) {
  const asked: (string | undefined)[] = [];
  const scripts: Scripts = {
    async run(_script, values) {
      const first = Number(values[4]);
      asked.push(values[4]);
      const end = Math.min(first + atOnce, length + 1);
      const numbers = Array.from({ length: end - first }, (_, index) => `${first + index}`);
      const entries = numbers.flatMap((number) => [
        number,
        'grant',
        `grant-${number}`,
        'acme',
        '',
        '1',
        '5',
        '5',
        '',
        '',
        '',
      ]);
      return [end > length ? '' : `${end}`, ...entries];
    },
  };
  return { scripts, asked };
}

describe('readEntries', () => {
  it.each([
    [3, 3, 1, null],
    [4, 3, 2, '4'],
    [4, 4, 2, null],
    [7, 3, 2, '4'],
    [7, 4, 2, '5'],
    [2, 4, 1, null],
  ])('of a log of %d gives a page of %d by as few scripts as it takes', async (length, limit, scripts, nextCursor) => {
    const log = logOf(length, 3);
    const page = await readEntries(log.scripts, { limit });
    expect(page.entries.map(({ id }) => id)).toEqual(
      Array.from({ length: Math.min(length, limit) }, (_, index) => `grant-${index + 1}`),
    );
    expect([page.nextCursor, log.asked.length]).toEqual([nextCursor, scripts]);
  });

  it('goes on from a cursor', async () => {
    const { scripts, asked } = logOf(5, 3);
    const page = await readEntries(scripts, { limit: 2, cursor: '4' });
    expect([page.entries.map(({ id }) => id), page.nextCursor, asked]).toEqual([['grant-4', 'grant-5'], null, ['4']]);
  });
});

it.each(['0', '01', '', '-1', '1.5', '12345678901234567', 5, undefined])('takes %j for no cursor', (cursor) => {
  expect(() => checkEntryCursor(cursor)).toThrow(expect.objectContaining({ reason: 'invalid_cursor' }));
  expect(() => checkEntryCursor('1234567890123456')).not.toThrow();
});
