import { formatUsd, parseUsd } from '../../base/money.js';
import type { DynamicPrice, ModelRow } from '../../catalog/model-entry.js';
import { modelRows } from '../../provider-kit/model-rows.js';

/** Mistral's two search tools, which exclude each other. The premium tool also finds articles of news agencies. */
type MistralSearchTool = 'web_search' | 'web_search_premium';

/** USD per search. */
const FEE_OF: Readonly<Record<MistralSearchTool, string>> = { web_search: '0.03', web_search_premium: '0.05' };
/** The searches of a call, for the estimates. */
const TYPICAL_SEARCHES = 1n;
const MOST_SEARCHES = 6n;

const COMMON = {
  features: ['citations', 'streaming', 'multi_turn'],
  contextLength: 262_144,
  // Search and answer took under 3 s in Mistral's sample; expect 2 to 10 s (2026-11-20).
  timeoutMs: 60_000,
};

/**
 * Mistral's answer models, cheapest first. `mistral-large-latest` means Large 4 since 2026-10, so Large 3 is listed by its version. Large 4 (1.36 and
 * 4.18 USD per million tokens since its launch price of 0.68 and 2.09 ended on 2026-10-20, BlockRunAI/Franklin v3.49.15) is left out: no
 * document was found that says that Large 4 takes the search tools (2026-11-22).
 */
export const MISTRAL_MODELS = modelRows(COMMON, [
  {
    slug: 'mistral/mistral-small-latest',
    name: 'Mistral Small + web search',
    description: 'Mistral’s small model with web search: quick, and most of its price is the search.',
    prices: [dynamicPrice({ input: '0.15', cachedInput: '0.015', output: '0.6', tokens: ['0.001', '0.02'] })],
  },
  {
    slug: 'mistral/mistral-medium-latest',
    name: 'Mistral Medium + web search',
    description: 'Mistral’s main model with web search, for most questions.',
    prices: [dynamicPrice({ input: '1.5', cachedInput: '0.15', output: '7.5', tokens: ['0.015', '0.12'] })],
    features: ['citations', 'reasoning', 'streaming', 'multi_turn'],
  },
  {
    slug: 'mistral/mistral-large-2512',
    name: 'Mistral Large 3 + web search',
    description: 'Mistral’s large open model with web search.',
    prices: [dynamicPrice({ input: '0.5', output: '1.5', tokens: ['0.005', '0.04'] })],
  },
]);

/**
 * The version behind each `-latest` slug on 2026-11-20. Mistral's `-latest` names and their prices change with its releases, so requests name the version
 * whose rates the rows have.
 */
const VERSIONS: ReadonlyMap<string, string> = new Map([
  ['mistral/mistral-small-latest', 'mistral-small-2603'],
  ['mistral/mistral-medium-latest', 'mistral-medium-3-5'],
]);

/** Mistral's id of a model. */
export function versionOf({ slug }: ModelRow): string {
  return VERSIONS.get(slug) ?? slug.slice('mistral/'.length);
}

/** The model with the fee of this search tool. */
export function atFeeOf(tool: MistralSearchTool, model: ModelRow): ModelRow {
  const extra = parseUsd(FEE_OF[tool]) - parseUsd(FEE_OF.web_search);
  const raised = (usd: string, searches: bigint) => formatUsd(parseUsd(usd) + extra * searches);
  const prices = model.prices.map((price) =>
    price.kind === 'flat'
      ? price
      : {
          ...price,
          perSearch: FEE_OF[tool],
          typical: raised(price.typical, TYPICAL_SEARCHES),
          ceiling: raised(price.ceiling, MOST_SEARCHES),
        },
  );
  return { ...model, prices };
}

interface Rates {
  /** USD per million tokens. */
  readonly input: string;
  readonly cachedInput?: string;
  readonly output: string;
  /** Our estimate of the token cost of a call in USD: usual, and at most. */
  readonly tokens: readonly [typical: string, most: string];
}

function dynamicPrice({ input, cachedInput, output, tokens: [typical, most] }: Rates): DynamicPrice {
  const fee = parseUsd(FEE_OF.web_search);
  return {
    kind: 'dynamic',
    perMillionInputTokens: input,
    ...(cachedInput === undefined ? {} : { perMillionCachedInputTokens: cachedInput }),
    perMillionOutputTokens: output,
    perSearch: FEE_OF.web_search,
    typical: formatUsd(parseUsd(typical) + fee * TYPICAL_SEARCHES),
    ceiling: formatUsd(parseUsd(most) + fee * MOST_SEARCHES),
    source:
      'https://docs.mistral.ai/models ; npm @pydantic/genai-prices 0.1.8 ; https://github.com/BerriAI/litellm/pull/32059',
    asOf: '2026-11-20',
    confidence: 'medium',
    notes:
      'The fee of a search comes from third parties. typical: one search; ceiling: six and a long answer. Both are estimates.',
  };
}
