import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';

/**
 * Options of the tool `web_search` (openai-openapi of 2026-08-21). Domains include their subdomains; OpenAI takes 100 of them.
 *
 * Doubt: `filters.blocked_domains` is documented (guide tools-web-search, domain filtering, as quoted 2026-09), but was found to let blocked pages
 * through (community.openai.com, 2026: 13 of 213).
 */
const OPENAI_OPTIONS = {
  includeDomains: { as: 'tools[].filters.allowed_domains' },
  excludeDomains: { as: 'tools[].filters.blocked_domains' },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** Fields of the tool. The country is set beside them, because the settings have a country as well. */
export function openaiSearch({ includeDomains, excludeDomains }: AskedSearch): object {
  const filters = definedFields({ allowed_domains: includeDomains, blocked_domains: excludeDomains });
  return Object.keys(filters).length === 0 ? {} : { filters };
}

/** Tokens of retrieved pages are input tokens. Rates rise above 272,000 input tokens, but searches put in 128,000 at most. */
const PRICE = {
  kind: 'dynamic',
  perSearch: '0.01',
  asOf: '2026-11-20',
  notes: 'typical: two searches, 20,000 tokens in, 1,200 out; ceiling: four searches, 128,000 in, 8,000 out.',
} as const;
const LAUNCH = {
  source: 'docs.laozhang.ai, announcement of 2026-11-18 ; BerriAI/litellm discussion 52347',
  confidence: 'medium',
} as const;

const COMMON = {
  features: ['citations', 'reasoning', 'streaming', 'multi_turn'],
  options: OPENAI_OPTIONS,
  // 922,000 in and 128,000 out.
  contextLength: 1_050_000,
  // 3 to 15 s with little reasoning, up to 60 s according to gateways (2026-11-20).
  timeoutMs: 90_000,
};

/** OpenAI's models with web search. `gpt-4o-search-preview` and `gpt-4o-mini-search-preview` ended on 2026-07-23. */
export const OPENAI_MODELS = modelRows(COMMON, [
  {
    slug: 'openai/gpt-6-luna',
    name: 'GPT-6 Luna with web search',
    description: 'OpenAI’s small, fast model: quick answers with citations.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '0.10', cachedInput: '0.01', output: '0.50' }),
        typical: '0.023',
        ceiling: '0.06',
        source: 'https://developers.openai.com/api/docs/pricing ; npm @pydantic/genai-prices 0.1.8',
        confidence: 'high',
      },
    ],
  },
  {
    slug: 'openai/gpt-6.1-terra',
    name: 'GPT-6.1 Terra with web search',
    description: 'OpenAI’s middle model: more careful than Luna, half the price of Sol.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '1.00', cachedInput: '0.05', output: '5.00' }),
        typical: '0.046',
        ceiling: '0.21',
        source: 'https://docs.litellm.ai/blog/gpt-6-1-terra ; https://apidog.com/de/blog/gpt-6-1-terra-pricing/',
        asOf: '2026-11-22',
        confidence: 'high',
      },
    ],
  },
  {
    slug: 'openai/gpt-6.2-sol',
    name: 'GPT-6.2 Sol with web search',
    description: 'OpenAI’s everyday reasoning model, which decides for itself how often to search.',
    // The rate of cached input is the rate of gpt-6.1-sol (low confidence).
    prices: [
      {
        ...PRICE,
        ...LAUNCH,
        ...tokenRates({ input: '2.00', cachedInput: '0.10', output: '10.00' }),
        typical: '0.072',
        ceiling: '0.40',
      },
    ],
  },
  {
    slug: 'openai/gpt-6.2-astra',
    name: 'GPT-6.2 Astra with web search',
    description: 'OpenAI’s strongest model, for hard questions that take many sources.',
    prices: [
      {
        ...PRICE,
        ...LAUNCH,
        ...tokenRates({ input: '8.00', cachedInput: '0.40', output: '40.00' }),
        typical: '0.228',
        ceiling: '1.40',
      },
    ],
    timeoutMs: 180_000,
  },
]);
