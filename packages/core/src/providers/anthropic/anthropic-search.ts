import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import type { FeeInput } from '../../provider-kit/messages-answer.js';

/** Fields of the tool. A country replaces the whole location of the settings, whose city would contradict the country. */
export function anthropicSearch({ includeDomains, excludeDomains, country }: AskedSearch): object {
  return definedFields({
    allowed_domains: includeDomains,
    blocked_domains: excludeDomains,
    user_location: country && { type: 'approximate', country },
  });
}

const HAIKU = 'anthropic/claude-haiku-5-5';

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
