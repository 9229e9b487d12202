import type { AnswerModel } from '../../catalog/model-entry.js';
import { PARALLEL_OPTIONS } from './parallel-search.js';

const PRICE = {
  kind: 'flat',
  source: 'https://docs.parallel.ai/getting-started/pricing ; a client’s notes of 2026-09-23',
  asOf: '2026-11-20',
  confidence: 'medium',
  notes: 'Per successful request; the tokens that replies report are not what is billed.',
} as const;

const FEATURES = {
  features: ['citations'],
  vendorFeatures: ['streaming', 'structured_output'],
  options: PARALLEL_OPTIONS,
};

/** Parallel's answers: one endpoint at three levels of effort. */
export const PARALLEL_MODELS: readonly AnswerModel[] = [
  {
    slug: 'parallel/responses-low',
    name: 'Parallel Answer (low effort)',
    description: 'A fact looked up on the live web, with its sources, in 5 to 10 seconds.',
    prices: [{ ...PRICE, request: '0.01' }],
    ...FEATURES,
    contextLength: null,
    timeoutMs: 45_000,
  },
  {
    slug: 'parallel/responses-medium',
    name: 'Parallel Answer (medium effort)',
    description: 'For questions that take several steps of research, in 15 to 20 seconds.',
    prices: [{ ...PRICE, request: '0.05' }],
    ...FEATURES,
    features: ['citations', 'reasoning'],
    contextLength: null,
    timeoutMs: 90_000,
  },
  {
    slug: 'parallel/responses-high',
    name: 'Parallel Answer (high effort)',
    description: 'The most research Parallel does while a user waits: 30 to 60 seconds.',
    prices: [{ ...PRICE, request: '0.25' }],
    ...FEATURES,
    features: ['citations', 'reasoning', 'deep_research'],
    contextLength: null,
    timeoutMs: 180_000,
  },
];
