import { describe, expect, it } from 'vitest';
import { readRegistryQuery, registryPage } from './registry-page.js';

const rows = [1, 2, 3].map((createdAtMs) => ({ createdAtMs, id: `key-${createdAtMs}` }));

describe('the page of a registry', () => {
  it.each([
    ['is followed by another where a row is left', 2, 2, '2.key-2'],
    ['is the last one where it holds the rest', 3, 3, null],
    ['is the last one where there is nothing', 0, 0, null],
  ])('%s', (_what, pageSize, length, nextCursor) => {
    const page = registryPage(length === 0 ? [] : rows, pageSize);
    expect([page.items.length, page.nextCursor]).toEqual([length, nextCursor]);
  });

  it('begins after the position of its cursor', () => {
    expect(readRegistryQuery({ cursor: '2.key-2' }).after).toEqual({ createdAtMs: 2, id: 'key-2' });
    expect(readRegistryQuery().after).toBeNull();
  });

  it.each(['', '2', '2.', '.key', 'x.key', '-1.key', '2.a b', '2.key\n', '9999999999999999.key', 5, ['2.key-2'], null])(
    'refuses %o as a cursor',
    (cursor) => {
      expect(() => readRegistryQuery({ cursor: cursor as string })).toThrow(
        expect.objectContaining({ reason: 'invalid_cursor' }),
      );
    },
  );

  it.each([
    [{ organizationId: 'a b' }, 'invalid_id', 'organizationId: found "a b"'],
    [{ limit: 0 }, 'invalid_argument', 'limit: found 0'],
  ])('names what is wrong in %o', (query, reason, message) => {
    expect(() => readRegistryQuery(query)).toThrow(
      expect.objectContaining({ reason, message: expect.stringContaining(message) }),
    );
  });
});
