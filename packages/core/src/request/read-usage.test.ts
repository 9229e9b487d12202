import { describe, expect, it } from 'vitest';
import { noUsage, type UsageQuery, type UsageRow } from '../ledger/usage.js';
import { readUsage } from './read-usage.js';

const QUERY: UsageQuery = { by: 'tag', keyId: 'key', fromDay: 5, toDay: 9 };
const logger = { warn: () => undefined, error: () => undefined };
const row = (group: string | null): UsageRow => ({ group, ...noUsage() });
const tags = (count: number) => Array.from({ length: count }, (_, index) => row(`tag-${index}`));

/** A ledger with these rows. */
function start(rows: readonly UsageRow[]) {
  const asked: UsageQuery[] = [];
  const usage = (query: UsageQuery) => {
    asked.push(query);
    const from = rows.findIndex(({ group }) => group === query.after) + 1;
    return Promise.resolve(rows.slice(from, from + (query.limit ?? 0)));
  };
  return { asked, read: () => readUsage({ ledger: { usage }, logger }, QUERY) };
}

describe('usage', () => {
  it.each([
    ['nothing', [], [undefined]],
    ['less than a page', tags(999), [undefined]],
    ['exactly a page', tags(1_000), [undefined, 'tag-999']],
    ['a page that ends with the row without a group', [...tags(999), row(null)], [undefined]],
    ['three pages', tags(2_001), [undefined, 'tag-999', 'tag-1999']],
  ])('is read page by page: %s', async (_what, rows, pages) => {
    const { asked, read } = start(rows);
    expect(await read()).toEqual(rows);
    expect(asked).toEqual(pages.map((after) => ({ ...QUERY, limit: 1_000, after })));
  });

  it('is refused when it has more than ten pages', async () => {
    expect(await start(tags(9_999)).read()).toHaveLength(9_999);
    const { asked, read } = start(tags(10_000));
    await expect(read()).rejects.toMatchObject({
      reason: 'invalid_parameter',
      param: 'from',
      details: { allowed: ['fewer days'] },
    });
    expect(asked).toHaveLength(10);
  });
});
