import type { AnswerModel } from '../../catalog/model-entry.js';
import { BRAVE_OPTIONS } from './brave-search.js';

/** Brave's answers. Its research mode gives no citations, and its Summarizer is deprecated. */
export const BRAVE_MODELS: readonly AnswerModel[] = [
  {
    slug: 'brave/answers',
    name: 'Brave Answers',
    description: 'One search of Brave’s own index and an answer that cites it sentence by sentence.',
    prices: [
      {
        kind: 'dynamic',
        perMillionInputTokens: '5',
        perMillionOutputTokens: '5',
        perSearch: '0.004',
        typical: '0.05',
        ceiling: '0.08',
        source: 'https://api-dashboard.search.brave.com/app/plans ; public measurements of 2026-09-12 and 2026-10-03',
        asOf: '2026-11-20',
        confidence: 'high',
        notes:
          'The pages Brave reads are billed as input: 8,600 to 10,500 tokens, 0.048 to 0.058 USD an answer as measured. ceiling: an estimate.',
      },
    ],
    features: ['citations', 'streaming'],
    vendorFeatures: ['language_filter', 'safe_search'],
    options: BRAVE_OPTIONS,
    contextLength: null,
    // 4.5 s on average by Brave's own account; its client skills wait 30 s and more (2026-11-20).
    timeoutMs: 45_000,
  },
];
