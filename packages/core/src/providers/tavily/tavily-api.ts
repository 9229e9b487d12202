import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { bearer, type VendorApi } from '../../provider-kit/json-endpoint.js';

export const TAVILY: VendorApi = {
  authorize: bearer,
  // Tavily's SDKs and public logs, read 2026-11-20.
  errors: [
    // Statuses that only Tavily has: the limit of the plan or key is reached (432), or the limit of pay as you go (433).
    { status: [432, 433], reason: 'upstream_quota_exhausted' },
    { status: 400, message: /query is too long|max query length/i, reason: 'query_rejected' },
  ],
};

/** Settings of the host. */
export interface TavilyOptions {
  readonly usdPerCredit: string;
  readonly maxQueryCharacters: number;
  /** Fields of every search, by Tavily's names. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

export function tavilySearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, freshness, publishedAfter, publishedBefore } = search;
  return definedFields({
    include_domains: includeDomains,
    // The SDK 0.7.13 also knows `prefer`, and the default is not documented.
    include_domains_mode: includeDomains && 'restrict',
    exclude_domains: excludeDomains,
    time_range: freshness,
    start_date: publishedAfter,
    end_date: publishedBefore,
  });
}

/** USD per credit, pay as you go; plans sell credits at 0.005 to 0.0075. */
export const LIST_PRICE_OF_CREDIT = '0.008';

/** How a model searches and writes. */
interface Tier {
  readonly depth: string;
  readonly answer: 'basic' | 'advanced';
}

const BASIC: Tier = { depth: 'basic', answer: 'basic' };
const TIERS: ReadonlyMap<string, Tier> = new Map([
  ['tavily/answer', BASIC],
  ['tavily/answer-fast', { ...BASIC, depth: 'fast' }],
  ['tavily/answer-ultra-fast', { ...BASIC, depth: 'ultra-fast' }],
  ['tavily/answer-advanced', { depth: 'advanced', answer: 'advanced' }],
]);

export function tierOf({ slug }: ModelRow): Tier {
  return TIERS.get(slug) ?? BASIC;
}
