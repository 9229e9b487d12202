import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import type { ModelRow } from '../../catalog/model-entry.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';

const FILTERS = 'tools[].filters';

/**
 * Options of the tool `web_search` of the Agent API (OpenAPI document of 2026-08-03, read 2026-11-22). The tool has no language filter, though the Search
 * API has: the Agent API refuses unknown fields. Only Sonar supports the options: the levels of effort add their own search tools, which ignore the filters
 * (docs.perplexity.ai, cookbook agent-api-presets, read 2026-11-26).
 */
const PERPLEXITY_OPTIONS = {
  includeDomains: { as: `${FILTERS}.search_domain_filter` },
  excludeDomains: { as: `${FILTERS}.search_domain_filter` },
  freshness: { as: `${FILTERS}.search_recency_filter` },
  publishedAfter: { as: `${FILTERS}.search_after_date_filter` },
  publishedBefore: { as: `${FILTERS}.search_before_date_filter` },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** The tool with its filters. */
export function webSearchTool(search: AskedSearch | undefined): object {
  if (search === undefined) return { type: 'web_search' };
  const filters = searchFilters(search);
  return definedFields({
    type: 'web_search',
    filters: Object.keys(filters).length === 0 ? undefined : filters,
    user_location: search.country && { country: search.country },
  });
}

/** The filters of the tool and of the Search API. A dash before a domain excludes the domain. */
export function searchFilters(search: AskedSearch): Readonly<Record<string, unknown>> {
  const { includeDomains, excludeDomains, freshness, publishedAfter, publishedBefore } = search;
  return definedFields<unknown>({
    search_domain_filter: includeDomains ?? excludeDomains?.map((domain) => `-${domain}`),
    search_recency_filter: freshness,
    search_after_date_filter: publishedAfter && americanDate(publishedAfter),
    search_before_date_filter: publishedBefore && americanDate(publishedBefore),
  });
}

function americanDate(date: string): string {
  const [year, month, day] = date.split('-');
  return `${month}/${day}/${year}`;
}

/** Perplexity's own model: prompts stay with Perplexity. */
export const SONAR = 'perplexity/sonar';

const PRICING = 'https://docs.perplexity.ai/getting-started/pricing.md';

/** The rates of perplexity/sonar on the Agent API. A web search cost twice as much until 2026-10. */
const SONAR_RATES = {
  kind: 'dynamic',
  ...tokenRates({ input: '0.25', cachedInput: '0.0625', output: '2.5' }),
  perSearch: '0.0025',
  asOf: '2026-11-20',
} as const;

/** The price of a level of effort. */
const TIER = {
  ...SONAR_RATES,
  source: `${PRICING} ; https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/benchmarks.md`,
  confidence: 'low',
  notes: 'typical: mean of the vendor’s benchmark of hard questions, read as USD per 1,000; ceiling: an estimate.',
} as const;

const COMMON = {
  features: ['citations', 'streaming', 'multi_turn', 'json_schema'],
  contextLength: 128_000,
  timeoutMs: 45_000,
};

/** Perplexity's answer models: Sonar, and five levels of effort (docs.perplexity.ai/docs/agent-api/effort, read 2026-11-22). */
export const PERPLEXITY_MODELS = modelRows(COMMON, [
  {
    slug: SONAR,
    name: 'Perplexity Sonar',
    description: 'A quick grounded answer by Perplexity’s own model, with one forced web search.',
    prices: [{ ...SONAR_RATES, typical: '0.004', ceiling: '0.05', source: PRICING, confidence: 'medium' }],
    options: PERPLEXITY_OPTIONS,
  },
  {
    slug: 'perplexity/fast',
    name: 'Perplexity Fast',
    description: 'The lightest level of effort: a search and an answer, tuned for speed.',
    prices: [{ ...TIER, typical: '0.012', ceiling: '0.02' }],
  },
  {
    slug: 'perplexity/low',
    name: 'Perplexity Low',
    description: 'Several steps of searching for a fuller answer; what Sonar Pro was used for.',
    prices: [{ ...TIER, typical: '0.07', ceiling: '0.1' }],
    timeoutMs: 120_000,
  },
  {
    slug: 'perplexity/medium',
    name: 'Perplexity Medium',
    description: 'Searches, reads and reasons in many steps; takes tens of seconds to minutes.',
    prices: [{ ...TIER, typical: '0.21', ceiling: '0.3' }],
    features: ['citations', 'reasoning', 'streaming', 'multi_turn', 'json_schema'],
    timeoutMs: 300_000,
  },
  {
    slug: 'perplexity/high',
    name: 'Perplexity High',
    description: 'Long research for a thorough, heavily cited report; takes minutes.',
    prices: [{ ...TIER, typical: '0.78', ceiling: '1' }],
    features: ['citations', 'reasoning', 'deep_research', 'streaming', 'multi_turn', 'json_schema'],
    timeoutMs: 600_000,
  },
  {
    slug: 'perplexity/xhigh',
    name: 'Perplexity Extra High',
    description: 'The longest research Perplexity does, for questions that `high` leaves open; takes many minutes.',
    prices: [
      {
        ...TIER,
        typical: '1.6',
        ceiling: '4',
        asOf: '2026-11-22',
        notes: 'Both figures are estimates, from twice those of `high`.',
      },
    ],
    features: ['citations', 'reasoning', 'deep_research', 'streaming', 'multi_turn', 'json_schema'],
    timeoutMs: 900_000,
  },
]);

/** The model without the rates of Sonar, for when another model does the work: the charge then follows the cost that Perplexity reports. */
export function withoutRates(model: ModelRow): ModelRow {
  const prices = model.prices.map((price) => {
    const { source, asOf, confidence } = price;
    return price.kind === 'flat'
      ? price
      : { kind: price.kind, typical: price.typical, ceiling: price.ceiling, source, asOf, confidence };
  });
  return { ...model, prices };
}
