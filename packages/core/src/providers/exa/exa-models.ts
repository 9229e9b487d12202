import type { AnswerModel } from '../../catalog/model-entry.js';
import { EXA_ANSWER_OPTIONS, EXA_SEARCH_OPTIONS } from './exa-search.js';

const PRICING = 'https://exa.ai/docs/admin/pricing';
const DEEP_REVAMP = 'https://exa.ai/docs/changelog/exa-deep-revamp';

/** Exa's answer models. The deep ones are `/search` with synthesis; `exa/deep` and its siblings are search models, hence the `answer-`. */
export const EXA_MODELS: readonly AnswerModel[] = [
  {
    slug: 'exa/answer',
    name: 'Exa Answer',
    description: 'One pass over Exa’s index and a short reply written from it, with numbered sources.',
    prices: [{ kind: 'flat', request: '0.005', source: PRICING, asOf: '2026-11-20', confidence: 'high' }],
    features: ['citations', 'streaming'],
    vendorFeatures: ['structured_output', 'content'],
    options: EXA_ANSWER_OPTIONS,
    contextLength: null,
    // No latency is published; public clients wait 30 to 60 s (2026-11-20).
    timeoutMs: 30_000,
  },
  {
    slug: 'exa/answer-deep-lite',
    name: 'Exa Deep Lite Answer',
    description: 'Light research over a few searches, for simpler questions and shorter waits.',
    prices: [{ kind: 'flat', request: '0.012', source: PRICING, asOf: '2026-11-20', confidence: 'medium' }],
    features: ['citations'],
    vendorFeatures: ['highlights', 'multi_query', 'structured_output'],
    options: EXA_SEARCH_OPTIONS,
    contextLength: null,
    timeoutMs: 30_000,
  },
  {
    slug: 'exa/answer-deep',
    name: 'Exa Deep Answer',
    description: 'Expands the question into several searches, inspects what they find and writes one answer.',
    prices: [{ kind: 'flat', request: '0.012', source: PRICING, asOf: '2026-11-20', confidence: 'high' }],
    features: ['citations'],
    vendorFeatures: ['highlights', 'multi_query', 'structured_output'],
    options: EXA_SEARCH_OPTIONS,
    contextLength: null,
    // 4 to 12 s by Exa's own account (changelog of 2026-03-04).
    timeoutMs: 45_000,
  },
  {
    slug: 'exa/answer-deep-reasoning',
    name: 'Exa Deep Reasoning Answer',
    description: 'Exa’s most thorough answer in one call: searches and reasons until the question is covered.',
    prices: [
      {
        kind: 'flat',
        request: '0.015',
        source: `${PRICING} ; ${DEEP_REVAMP}`,
        asOf: '2026-11-20',
        confidence: 'high',
        notes: 'Covers 10 results, which is Exa’s default; each one more costs 0.001. No more are asked for.',
      },
    ],
    features: ['citations', 'reasoning'],
    vendorFeatures: ['highlights', 'multi_query', 'structured_output'],
    options: EXA_SEARCH_OPTIONS,
    contextLength: null,
    // 12 to 50 s by Exa's own account (changelog of 2026-03-04).
    timeoutMs: 120_000,
  },
];
