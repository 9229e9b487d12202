import assert from 'node:assert/strict';

const MOST_PAGES = 10_000;

/** Every page of a list, by its cursors. */
export async function allPages<Page extends { readonly nextCursor: string | null }>(
  find: (next: { readonly cursor?: string }) => Page | Promise<Page>,
): Promise<Page[]> {
  const pages = [await find({})];
  for (let cursor = pages[0]?.nextCursor; typeof cursor === 'string'; cursor = pages.at(-1)?.nextCursor) {
    assert.ok(pages.length < MOST_PAGES, 'the pages of a list come to an end');
    pages.push(await find({ cursor }));
  }
  return pages;
}
