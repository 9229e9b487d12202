import type { AnswerModel } from '../../catalog/model-entry.js';
import { PERPLEXITY_OPTIONS } from './perplexity-search.js';

/** Perplexity's own model: prompts stay with Perplexity. */
export const SONAR = 'perplexity/sonar';

const PRICING = 'https://docs.perplexity.ai/getting-started/pricing.md';
const BENCHMARKS = 'https://docs.perplexity.ai/docs/agent-api/migrate-from-sonar/benchmarks.md';

/** The rates of perplexity/sonar on the Agent API; a web search cost twice as much until 2026-10. */
const SONAR_RATES = {
  kind: 'dynamic',
  perMillionInputTokens: '0.25',
  perMillionCachedInputTokens: '0.0625',
  perMillionOutputTokens: '2.5',
  perSearch: '0.0025',
  asOf: '2026-11-20',
} as const;

const TIER_ESTIMATE = {
  source: `${PRICING} ; ${BENCHMARKS}`,
  confidence: 'low',
  notes:
    'typical: mean of the vendor’s own benchmark of hard questions, taken to be USD per 1,000 of them; ceiling: an estimate.',
} as const;

const FEATURES = {
  features: ['citations', 'streaming'],
  vendorFeatures: ['structured_output'],
};

/** Perplexity's answer models: its own one, and five levels of effort (docs.perplexity.ai/docs/agent-api/effort, read 2026-11-22). */
export const PERPLEXITY_MODELS: readonly AnswerModel[] = [
  {
    slug: SONAR,
    name: 'Perplexity Sonar',
    description: 'A quick grounded answer by Perplexity’s own model, with one forced web search.',
    prices: [{ ...SONAR_RATES, typical: '0.004', ceiling: '0.05', source: PRICING, confidence: 'medium' }],
    ...FEATURES,
    options: PERPLEXITY_OPTIONS,
    contextLength: 128_000,
    timeoutMs: 45_000,
  },
  {
    slug: 'perplexity/fast',
    name: 'Perplexity Fast',
    description: 'The lightest level of effort: a search and an answer, tuned for speed.',
    prices: [{ ...SONAR_RATES, ...TIER_ESTIMATE, typical: '0.012', ceiling: '0.02' }],
    ...FEATURES,
    contextLength: 128_000,
    timeoutMs: 45_000,
  },
  {
    slug: 'perplexity/low',
    name: 'Perplexity Low',
    description: 'Several steps of searching for a fuller answer; what Sonar Pro was used for.',
    prices: [{ ...SONAR_RATES, ...TIER_ESTIMATE, typical: '0.07', ceiling: '0.1' }],
    ...FEATURES,
    contextLength: 128_000,
    timeoutMs: 120_000,
  },
  {
    slug: 'perplexity/medium',
    name: 'Perplexity Medium',
    description: 'Searches, reads and reasons in many steps; takes tens of seconds to minutes.',
    prices: [{ ...SONAR_RATES, ...TIER_ESTIMATE, typical: '0.21', ceiling: '0.3' }],
    ...FEATURES,
    features: ['citations', 'reasoning', 'streaming'],
    contextLength: 128_000,
    timeoutMs: 300_000,
  },
  {
    slug: 'perplexity/high',
    name: 'Perplexity High',
    description: 'Long research for a thorough, heavily cited report; takes minutes.',
    prices: [{ ...SONAR_RATES, ...TIER_ESTIMATE, typical: '0.78', ceiling: '1' }],
    ...FEATURES,
    features: ['citations', 'reasoning', 'deep_research', 'streaming'],
    contextLength: 128_000,
    timeoutMs: 600_000,
  },
  {
    slug: 'perplexity/xhigh',
    name: 'Perplexity Extra High',
    description: 'The longest research Perplexity does, for questions that `high` leaves open; takes many minutes.',
    prices: [
      {
        ...SONAR_RATES,
        ...TIER_ESTIMATE,
        typical: '1.6',
        ceiling: '4',
        asOf: '2026-11-22',
        notes: 'Perplexity’s benchmark leaves this level out; both figures are estimates, from twice those of `high`.',
      },
    ],
    ...FEATURES,
    features: ['citations', 'reasoning', 'deep_research', 'streaming'],
    contextLength: 128_000,
    timeoutMs: 900_000,
  },
];

/** A model without the rates of Sonar, for when another model does the work: it costs what Perplexity reports. */
export function withoutRates(model: AnswerModel): AnswerModel {
  const prices = model.prices.map((price) => {
    const { source, asOf, confidence } = price;
    return price.kind === 'flat'
      ? price
      : { kind: price.kind, typical: price.typical, ceiling: price.ceiling, source, asOf, confidence };
  });
  return { ...model, prices };
}
