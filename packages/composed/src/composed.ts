import { formatUsd, type ModelRow, type PriceRow, type Provider, parseUsd } from '@searchgate/core/provider-kit';
import { compose } from './compose.js';
import { MAX_PROMPT_CHARACTERS, mostRanked } from './gather.js';
import { type ComposedSettings, partsOf, type Recipe, readSettings } from './settings.js';

const FEATURES = ['citations', 'streaming', 'instructions', 'multi_turn', 'max_output_tokens'];
const OWN = { source: "the host's own service", asOf: '2026-11-29', confidence: 'high' } as const;

/** The instructions, and a question as long as it may be by default. */
const OTHER_PROMPT_TOKENS = 10_000;
/** Four characters make a token of English; in the ceiling, one does. */
const TYPICAL_PROMPT_TOKENS = 3_500;
const TYPICAL_OUTPUT_TOKENS = 300;
const MILLION = 1_000_000n;

/**
 * A provider whose answers are made of other models of the gateway, searches first, and of any chat model, with citations that are checked. Slugs are
 * `<id>/<name of the model>`.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function composed(settings: ComposedSettings): Provider {
  const { id, models, policies, rateLimit, maxConcurrent, maxQueueMs, name = id } = readSettings(settings);
  const recipes = Object.entries(models).map(([model, recipe]) => ({ slug: `${id}/${model}`, recipe }));
  const responds = new Map(recipes.map(({ slug, recipe }) => [slug, compose(recipe)]));
  const respond: ReturnType<typeof compose> = async (call, context, live) => {
    const asked = responds.get(call.model.slug);
    if (asked === undefined) throw new Error(`${call.model.slug} is no model of ${id}`);
    return asked(call, context, live);
  };
  return {
    id,
    name,
    models: recipes.map(({ slug, recipe }) => rowOf(slug, recipe)),
    limits: { rateLimit, maxConcurrent, maxQueueMs },
    policies,
    answer: { answer: respond, stream: respond },
  };
}

function rowOf(slug: string, recipe: Recipe): ModelRow {
  return {
    slug,
    name: slug.slice(slug.indexOf('/') + 1),
    description: `Answers of ${recipe.chat.model} from pages that ${recipe.search.join(' and ')} finds.`,
    prices: [priceOf(recipe)],
    features: FEATURES,
    parts: partsOf(recipe, mostRanked(recipe)),
    contextLength: null,
    timeoutMs: recipe.timeoutMs,
  };
}

/** The price of the chat model alone. */
function priceOf({ chat: { prices, maxOutputTokens }, instructions = '' }: Recipe): PriceRow {
  const { perMillionInputTokens = '0', perMillionOutputTokens = '0' } = prices ?? {};
  const [input, output] = [parseUsd(perMillionInputTokens), parseUsd(perMillionOutputTokens)];
  if (input + output === 0n) return { kind: 'flat', request: '0', ...OWN };
  const costOf = (read: number, written: number) =>
    formatUsd((input * BigInt(read) + output * BigInt(written) + MILLION - 1n) / MILLION);
  return {
    kind: 'dynamic',
    perMillionInputTokens,
    perMillionOutputTokens,
    typical: costOf(TYPICAL_PROMPT_TOKENS, Math.min(TYPICAL_OUTPUT_TOKENS, maxOutputTokens)),
    ceiling: costOf(MAX_PROMPT_CHARACTERS + OTHER_PROMPT_TOKENS + instructions.length, maxOutputTokens),
    ...OWN,
  };
}
