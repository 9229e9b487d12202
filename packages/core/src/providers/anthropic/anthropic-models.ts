import { fromTokenParts, type NanoUsd, parseUsd, tokenPart } from '../../base/money.js';
import type { AnswerModel } from '../../catalog/model-entry.js';
import type { FeeInput } from '../../provider-kit/messages-answer.js';
import { ANTHROPIC_OPTIONS } from './anthropic-search.js';

const MODELS_PAGE = 'https://platform.claude.com/docs/en/about-claude/models/overview';
const RATES = 'npm @pydantic/genai-prices 0.1.8 ; npm @ai-sdk/anthropic 4.0.105';

/** Per search that succeeded, whatever it found. */
const SEARCH_FEE = '0.01';
const ESTIMATE =
  'typical: two searches, 25,000 tokens in and 1,200 out; ceiling: three searches and a long answer. Both are estimates.';

const FEATURES = {
  features: ['citations', 'reasoning', 'streaming'],
  vendorFeatures: [],
  options: ANTHROPIC_OPTIONS,
};
const CONTEXT_LENGTH = 1_000_000;
/** A turn takes 5 to 60 s by common experience, and one that pauses takes several requests (2026-11-20). */
const TIMEOUT_MS = 120_000;

const HAIKU = 'anthropic/claude-haiku-5-5';

/** Anthropic's answer models, cheapest first. The part of the slug behind the slash is the model's own id. */
export const ANTHROPIC_MODELS: readonly AnswerModel[] = [
  {
    slug: HAIKU,
    name: 'Claude Haiku 5.5 + web search',
    description: 'The quickest and cheapest Claude with web search, for short cited answers.',
    prices: [
      {
        kind: 'dynamic',
        perMillionInputTokens: '0.1',
        perMillionCachedInputTokens: '0.01',
        perMillionOutputTokens: '0.5',
        perSearch: SEARCH_FEE,
        typical: '0.023',
        ceiling: '0.15',
        source: `${MODELS_PAGE} ; ${RATES}`,
        asOf: '2026-10-16',
        confidence: 'medium',
        notes: ESTIMATE,
      },
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: TIMEOUT_MS,
  },
  {
    slug: 'anthropic/claude-sonnet-5-5',
    name: 'Claude Sonnet 5.5 + web search',
    description: 'Anthropic’s balanced model with web search, for everyday questions.',
    prices: [
      {
        kind: 'dynamic',
        perMillionInputTokens: '2',
        perMillionCachedInputTokens: '0.1',
        perMillionOutputTokens: '10',
        perSearch: SEARCH_FEE,
        typical: '0.082',
        ceiling: '0.35',
        source: `${MODELS_PAGE} ; ${RATES}`,
        asOf: '2026-11-13',
        confidence: 'high',
        notes: ESTIMATE,
      },
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: TIMEOUT_MS,
  },
  {
    slug: 'anthropic/claude-opus-5-5',
    name: 'Claude Opus 5.5 + web search',
    description: 'Anthropic’s thorough model with web search, for questions that take analysis.',
    prices: [
      {
        kind: 'dynamic',
        perMillionInputTokens: '4',
        perMillionCachedInputTokens: '0.2',
        perMillionOutputTokens: '20',
        perSearch: SEARCH_FEE,
        typical: '0.144',
        ceiling: '0.6',
        source: `${MODELS_PAGE} ; ${RATES}`,
        asOf: '2026-11-13',
        confidence: 'high',
        notes: ESTIMATE,
      },
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: TIMEOUT_MS,
  },
  {
    slug: 'anthropic/claude-fable-5-2',
    name: 'Claude Fable 5.2 + web search',
    description: 'Anthropic’s strongest model with web search, for long and hard questions.',
    prices: [
      {
        kind: 'dynamic',
        perMillionInputTokens: '8',
        perMillionCachedInputTokens: '0.2',
        perMillionOutputTokens: '40',
        perSearch: SEARCH_FEE,
        typical: '0.268',
        ceiling: '1.2',
        // On sale since 2026-11-09; writing to the cache costs 10 and 16, which are 1.25 times and twice the input as everywhere else.
        source: `${MODELS_PAGE} ; docs.laozhang.ai ; https://github.com/archid21/rightsize/releases/tag/v0.10.2`,
        asOf: '2026-11-22',
        confidence: 'medium',
        notes: ESTIMATE,
      },
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    // It always thinks, and longer than the others.
    timeoutMs: 180_000,
  },
];

const LONG_PROMPT_TOKENS = 100_000;
/** What Haiku 5.5 costs per million tokens of a long prompt beyond its rates: 0.5, 0.05 and 2.5 instead of 0.1, 0.01 and 0.5. */
const LONG_PROMPT_SURCHARGE = { input: parseUsd('0.4'), cachedInput: parseUsd('0.04'), output: parseUsd('2') };

/**
 * What a request costs beyond the rates of its row. Whether the searches of one request make one long prompt together is not stated (2026-11-20);
 * they are taken to (low confidence, on the side of the operator).
 */
export function longPromptFee({ slug, tokens }: FeeInput): NanoUsd {
  const { input, cachedInput, output } = tokens;
  if (slug !== HAIKU || input <= LONG_PROMPT_TOKENS) return 0n;
  const { input: perInput, cachedInput: perCached, output: perOutput } = LONG_PROMPT_SURCHARGE;
  return fromTokenParts(
    tokenPart(input - cachedInput, perInput) + tokenPart(cachedInput, perCached) + tokenPart(output, perOutput),
  );
}
