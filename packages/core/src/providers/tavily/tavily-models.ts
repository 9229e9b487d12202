import { formatUsd, parseUsd } from '../../base/money.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { modelRows } from '../../provider-kit/model-rows.js';

/** Where Tavily differs from the common meaning of statuses (its SDKs and public logs, read 2026-11-20). */
export const TAVILY_ERRORS: ErrorTable = [
  // Statuses that only Tavily has: the limit of the plan or key is reached (432), or the limit of pay as you go (433).
  { status: [432, 433], reason: 'upstream_quota_exhausted' },
  { status: 400, message: /query is too long|max query length/i, reason: 'query_rejected' },
];

/** Settings of the host. */
export interface TavilyOptions {
  readonly usdPerCredit: string;
  readonly maxQueryCharacters: number;
  /** Fields of every search, by Tavily's names. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

/**
 * Options of `/search` (OpenAPI document of 2026-08-12, read 2026-11-22). `country` is left out, because Tavily only prefers pages of a country. `language` is
 * left out, because the SDK 0.7.13 has `language` and `filter_by_language`, but no document says how to write a language.
 */
export const TAVILY_OPTIONS = {
  includeDomains: { as: 'include_domains' },
  excludeDomains: { as: 'exclude_domains' },
  freshness: { as: 'time_range' },
  publishedAfter: { as: 'start_date' },
  publishedBefore: { as: 'end_date' },
} as const satisfies OptionSupport;

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

const PRICE = {
  kind: 'flat',
  source: 'https://docs.tavily.com/documentation/api-credits',
  asOf: '2026-11-20',
  confidence: 'high',
  notes: 'One credit, two for an advanced search. The price list has no extra price for the text.',
} as const;
/** Searches cost 1 or 2 credits (you.com/resources/you-com-vs-tavily, 2026-09-01). By the price list above, only the advanced depth costs 2. */
const FAST_PRICE = { request: '0.008', asOf: '2026-11-22', confidence: 'medium' } as const;
const COMMON = {
  features: ['citations'],
  vendorFeatures: ['content', 'location', 'news', 'images'],
  options: TAVILY_OPTIONS,
  // 1 to 2 s for a search as measured by third parties, and the time to write (2026-11-20).
  timeoutMs: 20_000,
};

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

/** Tavily's answers: `/search` with a text written from the results. `tavily/basic` and similar slugs are search models. */
export const TAVILY_MODELS = modelRows(COMMON, [
  {
    slug: 'tavily/answer',
    name: 'Tavily Answer',
    description: 'One basic web search and a short text written from what it found.',
    prices: [{ ...PRICE, request: '0.008' }],
  },
  {
    slug: 'tavily/answer-fast',
    name: 'Tavily Fast Answer',
    description: 'A search tuned for speed that still quotes passages, and a short text written from them.',
    prices: [{ ...PRICE, ...FAST_PRICE }],
  },
  {
    slug: 'tavily/answer-ultra-fast',
    name: 'Tavily Ultra-Fast Answer',
    description: 'The quickest search, one summary per page, and a short text written from them.',
    prices: [{ ...PRICE, ...FAST_PRICE }],
  },
  {
    slug: 'tavily/answer-advanced',
    name: 'Tavily Advanced Answer',
    description: 'A deeper search with longer passages, and a longer text written from them.',
    prices: [{ ...PRICE, request: '0.016' }],
    // 5 to 10 s for a search as measured by third parties (2026-11-20).
    timeoutMs: 30_000,
  },
]);

/** The model at another price per credit: every price of Tavily is of credits. */
export function atCreditPrice(model: ModelRow, usdPerCredit: string): ModelRow {
  const at = (listed: string | undefined) =>
    listed && formatUsd((parseUsd(listed) * parseUsd(usdPerCredit)) / parseUsd(LIST_PRICE_OF_CREDIT));
  const prices = model.prices.map((price) =>
    price.kind === 'flat' ? { ...price, request: at(price.request), perPage: at(price.perPage) } : price,
  );
  return { ...model, prices };
}
