import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import type { FeeInput } from '../../provider-kit/messages-answer.js';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';

/** Options of the tool `web_search` (platform.claude.com, read 2026-11-20). Domains include their subdomains. The tool takes no dates and no language. */
const ANTHROPIC_OPTIONS = {
  includeDomains: { as: 'tools[].allowed_domains' },
  excludeDomains: { as: 'tools[].blocked_domains' },
  country: { as: 'tools[].user_location.country' },
} as const satisfies OptionSupport;

/** Fields of the tool. A country replaces the whole location of the settings, whose city would contradict the country. */
export function anthropicSearch({ includeDomains, excludeDomains, country }: AskedSearch): object {
  return definedFields({
    allowed_domains: includeDomains,
    blocked_domains: excludeDomains,
    user_location: country && { type: 'approximate', country },
  });
}

const MODELS_PAGE = 'https://platform.claude.com/docs/en/about-claude/models/overview';
const PRICE = {
  kind: 'dynamic',
  // Per search that succeeded, also if the search found nothing.
  perSearch: '0.01',
  source: `${MODELS_PAGE} ; npm @pydantic/genai-prices 0.1.8 ; npm @ai-sdk/anthropic 4.0.105`,
  asOf: '2026-11-13',
  confidence: 'high',
  notes: 'typical: two searches and a short answer; ceiling: three and a long answer. Both are estimates.',
} as const;

const COMMON = {
  features: ['citations', 'reasoning', 'streaming', 'multi_turn'],
  options: ANTHROPIC_OPTIONS,
  contextLength: 1_000_000,
  // A turn usually takes 5 to 60 s, and a turn that pauses takes several requests (2026-11-20).
  timeoutMs: 120_000,
};

const HAIKU = 'anthropic/claude-haiku-5-5';

/** Anthropic's answer models, cheapest first. The part of the slug behind the slash is Anthropic's id of the model. */
export const ANTHROPIC_MODELS = modelRows(COMMON, [
  {
    slug: HAIKU,
    name: 'Claude Haiku 5.5 + web search',
    description: 'The quickest and cheapest Claude with web search, for short cited answers.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '0.1', cachedInput: '0.01', output: '0.5' }),
        typical: '0.023',
        ceiling: '0.15',
        asOf: '2026-10-16',
        confidence: 'medium',
      },
    ],
  },
  {
    slug: 'anthropic/claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5 + web search',
    description: 'Anthropic’s balanced model with web search, for everyday questions.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '2', cachedInput: '0.1', output: '10' }),
        typical: '0.082',
        ceiling: '0.35',
      },
    ],
  },
  {
    slug: 'anthropic/claude-opus-5-5',
    name: 'Claude Opus 5.5 + web search',
    description: 'Anthropic’s thorough model with web search, for questions that take analysis.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '4', cachedInput: '0.2', output: '20' }),
        typical: '0.144',
        ceiling: '0.6',
      },
    ],
  },
  {
    slug: 'anthropic/claude-fable-5-2',
    name: 'Claude Fable 5.2 + web search',
    description: 'Anthropic’s strongest model with web search, for long and hard questions.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '8', cachedInput: '0.2', output: '40' }),
        typical: '0.268',
        ceiling: '1.2',
        // On sale since 2026-11-09. Writing to the cache costs 10 and 16: 1.25 times and twice the input, as for the other models.
        source: `${MODELS_PAGE} ; docs.laozhang.ai ; https://github.com/archid21/rightsize/releases/tag/v0.10.2`,
        asOf: '2026-11-22',
        confidence: 'medium',
      },
    ],
    // Fable always thinks, and longer than the other models.
    timeoutMs: 180_000,
  },
]);

const LONG_PROMPT_TOKENS = 100_000;
/** The surcharge of Haiku 5.5 per million tokens of a long prompt: 0.5, 0.05 and 2.5 instead of 0.1, 0.01 and 0.5. */
const LONG_PROMPT_SURCHARGE = { input: parseUsd('0.4'), cachedInput: parseUsd('0.04'), output: parseUsd('2') };

/**
 * The cost of a request beyond the rates of its row. Anthropic does not state whether the searches of one request make one long prompt together (2026-11-20).
 * The fee assumes that they do (low confidence, in favor of the operator).
 */
export function longPromptFee({ slug, tokens }: FeeInput): NanoUsd {
  const { input, cachedInput, output } = tokens;
  if (slug !== HAIKU || input <= LONG_PROMPT_TOKENS) return 0n;
  const { input: perInput, cachedInput: perCached, output: perOutput } = LONG_PROMPT_SURCHARGE;
  return fromTokenParts(
    tokenPart(input - cachedInput, perInput) + tokenPart(cachedInput, perCached) + tokenPart(output, perOutput),
  );
}
