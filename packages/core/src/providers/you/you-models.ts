import type { AnswerModel, FlatPrice } from '../../catalog/model-entry.js';
import { YOU_ANSWER_OPTIONS, YOU_RESEARCH_OPTIONS } from './you-search.js';

const BILLING = {
  kind: 'flat',
  source: 'https://you.com/docs/administration/billing',
  asOf: '2026-11-20',
  confidence: 'high',
} as const satisfies Omit<FlatPrice, 'request'>;
const DEEP = {
  features: ['citations', 'deep_research'],
  vendorFeatures: ['structured_output', 'date_filter'],
  options: YOU_RESEARCH_OPTIONS,
};

/** You.com's Answer API. */
export const ANSWER = 'you/answer';

/** You.com's answers: one search and a text, and research at four levels of effort. */
export const YOU_MODELS: readonly AnswerModel[] = [
  {
    slug: ANSWER,
    name: 'You.com Answer',
    description: 'One search and a short text, each citation with the words of the page it rests on.',
    prices: [{ ...BILLING, request: '0.005', source: 'https://you.com/docs/additional-resources/changelog/2026/8/5' }],
    features: ['citations'],
    vendorFeatures: ['highlights', 'date_filter', 'safe_search'],
    options: YOU_ANSWER_OPTIONS,
    contextLength: null,
    // Half of all within 2.7 s by You.com's own account, but some take tens of seconds (2026-08-05).
    timeoutMs: 30_000,
  },
  {
    slug: 'you/research-lite',
    name: 'You.com Research Lite',
    description: 'A quick look at several sources, for questions that one search does not cover.',
    prices: [{ ...BILLING, request: '0.012' }],
    features: ['citations'],
    vendorFeatures: ['date_filter'],
    options: YOU_RESEARCH_OPTIONS,
    contextLength: null,
    // Within 2 s or within 10 s: You.com's pages disagree (2026-11-20).
    timeoutMs: 30_000,
  },
  {
    slug: 'you/research-standard',
    name: 'You.com Research',
    description: 'Several steps of searching and reading, with references in the text.',
    prices: [{ ...BILLING, request: '0.05' }],
    ...DEEP,
    contextLength: null,
    // 10 to 30 s by You.com's own account (2026-11-20).
    timeoutMs: 90_000,
  },
  {
    slug: 'you/research-deep',
    name: 'You.com Research Deep',
    description: 'Slower research that checks its sources against each other.',
    prices: [{ ...BILLING, request: '0.1' }],
    ...DEEP,
    contextLength: null,
    // Up to 120 s by You.com's own account (2026-11-20).
    timeoutMs: 180_000,
  },
  {
    slug: 'you/research-exhaustive',
    name: 'You.com Research Exhaustive',
    description: 'The longest research in one call, over dozens of sources; takes minutes.',
    prices: [{ ...BILLING, request: '0.45' }],
    ...DEEP,
    contextLength: null,
    // Up to 300 s by You.com's own account (2026-11-20).
    timeoutMs: 400_000,
  },
];
