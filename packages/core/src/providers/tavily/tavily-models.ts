import { formatUsd, parseUsd } from '../../base/money.js';
import type { AnswerModel } from '../../catalog/model-entry.js';
import { TAVILY_OPTIONS } from './tavily-search.js';

/** USD per credit, pay as you go; plans sell them at 0.005 to 0.0075. */
export const LIST_PRICE_OF_CREDIT = '0.008';

const PRICE = {
  kind: 'flat',
  source: 'https://docs.tavily.com/documentation/api-credits',
  asOf: '2026-11-20',
  confidence: 'high',
  notes: 'One credit, two for an advanced search. The price list has no extra price for the text.',
} as const;
/** Searches cost 1 or 2 credits (you.com/resources/you-com-vs-tavily, 2026-09-01); that only the advanced depth costs 2 follows from the list above. */
const FAST_PRICE = { request: '0.008', asOf: '2026-11-22', confidence: 'medium' } as const;
const COMMON = {
  features: ['citations'],
  vendorFeatures: ['content', 'location', 'news', 'images'],
  options: TAVILY_OPTIONS,
  contextLength: null,
};

/** How a model searches and writes, and how many credits it takes. */
interface Tier {
  readonly depth: string;
  readonly answer: 'basic' | 'advanced';
  readonly credits: bigint;
}

const BASIC: Tier = { depth: 'basic', answer: 'basic', credits: 1n };
const TIERS: ReadonlyMap<string, Tier> = new Map([
  ['tavily/answer', BASIC],
  ['tavily/answer-fast', { ...BASIC, depth: 'fast' }],
  ['tavily/answer-ultra-fast', { ...BASIC, depth: 'ultra-fast' }],
  ['tavily/answer-advanced', { depth: 'advanced', answer: 'advanced', credits: 2n }],
]);

export function tierOf({ slug }: AnswerModel): Tier {
  return TIERS.get(slug) ?? BASIC;
}

/** Tavily's answers, which are `/search` with a text written from the results. `tavily/basic` and its siblings are search models. */
export const TAVILY_MODELS: readonly AnswerModel[] = [
  {
    slug: 'tavily/answer',
    name: 'Tavily Answer',
    description: 'One basic web search and a short text written from what it found.',
    prices: [{ ...PRICE, request: '0.008' }],
    // 1 to 2 s for a search by third parties' measure, and the time to write (2026-11-20).
    timeoutMs: 20_000,
    ...COMMON,
  },
  {
    slug: 'tavily/answer-fast',
    name: 'Tavily Fast Answer',
    description: 'A search tuned for speed that still quotes passages, and a short text written from them.',
    prices: [{ ...PRICE, ...FAST_PRICE }],
    timeoutMs: 20_000,
    ...COMMON,
  },
  {
    slug: 'tavily/answer-ultra-fast',
    name: 'Tavily Ultra-Fast Answer',
    description: 'The quickest search, one summary per page, and a short text written from them.',
    prices: [{ ...PRICE, ...FAST_PRICE }],
    timeoutMs: 20_000,
    ...COMMON,
  },
  {
    slug: 'tavily/answer-advanced',
    name: 'Tavily Advanced Answer',
    description: 'A deeper search with longer passages, and a longer text written from them.',
    prices: [{ ...PRICE, request: '0.016' }],
    // 5 to 10 s for a search by third parties' measure (2026-11-20).
    timeoutMs: 30_000,
    ...COMMON,
  },
];

/** A model at another price per credit. */
export function atCreditPrice(model: AnswerModel, usdPerCredit: string): AnswerModel {
  const request = formatUsd(parseUsd(usdPerCredit) * tierOf(model).credits);
  return { ...model, prices: model.prices.map((price) => ({ ...price, kind: 'flat', request })) };
}
