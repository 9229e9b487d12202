import assert from 'node:assert/strict';
import {
  type ExtractedPage,
  type ExtractOutcome,
  type FailedPage,
  isUpstreamError,
  PAGE_FAILURES,
  type Provider,
  type SearchOutcome,
  type SearchResult,
} from '@searchgate/core/provider-kit';
import { withoutGaps } from './given-fields.js';
import { namedIn, strangeReplies } from './list-mutations.js';
import type { PortFixture } from './provider-fixture.js';
import { type Ending, hand } from './scene.js';

type Page = SearchResult | ExtractedPage | FailedPage;

function pagesOf(outcome: SearchOutcome | ExtractOutcome): readonly Page[] {
  return 'results' in outcome ? outcome.results : outcome.pages;
}

/** Fails unless every page has the fields that the port promises. */
export function checkPages(outcome: SearchOutcome | ExtractOutcome): void {
  for (const page of pagesOf(outcome)) {
    const { score, failed, truncated, ...texts } = page as Partial<SearchResult & FailedPage & ExtractedPage>;
    for (const [field, value] of Object.entries(texts))
      assert.ok(value == null || typeof value === 'string', `${field} of a page is a text or missing`);
    assert.ok(score == null || Number.isFinite(score), 'the score is a number or missing');
    assert.ok(truncated === undefined || typeof truncated === 'boolean', 'truncated is true, false or missing');
    assert.ok(failed === undefined || PAGE_FAILURES.includes(failed), 'a failed page has a known reason');
    assert.ok('results' in outcome || typeof page.url === 'string', 'a page names its address');
  }
}

/** A list of a reply may hold anything: an entry that is no page loses itself alone. */
export async function checkPageLists(
  provider: Provider,
  fixture: PortFixture<'search'> | PortFixture<'extract'>,
): Promise<void> {
  const expected = pagesOf(fixture.outcome);
  const addresses = expected.flatMap(({ url }) => url ?? []);
  for (const { text, change, place, lost } of strangeReplies(fixture.reply)) {
    const ending = await hand(provider, fixture, text);
    assert.ok(hasPages(ending), `${change}: ${detailOf(ending)}`);
    checkPages(ending);
    const gone = place === 'replaced' ? namedIn(lost, addresses) : [];
    const others = (pages: readonly Page[]) => pages.filter(({ url }) => url != null && !gone.includes(url));
    // What is lost inside of a page changes the page.
    const isInside = place === 'replaced' && gone.length === 0;
    const seen = (pages: readonly Page[]) => (isInside ? others(pages).map(({ url }) => url) : others(pages));
    assert.deepEqual(withoutGaps(seen(pagesOf(ending))), withoutGaps(seen(expected)), `the other pages: ${change}`);
  }
}

function hasPages(ending: Ending): ending is SearchOutcome | ExtractOutcome {
  return 'results' in ending || 'pages' in ending;
}

function detailOf(ending: Ending): string {
  return isUpstreamError(ending) ? ending.detail : '';
}

/** Fails unless nothing was found and no page read. */
export function assertNothing(ending: Ending): void {
  assert.ok(hasPages(ending), `not an outcome without pages: ${detailOf(ending)}`);
  assert.ok('results' in ending ? ending.results.length === 0 : ending.pages.every((page) => 'failed' in page));
}
