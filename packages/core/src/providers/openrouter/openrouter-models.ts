import type { AnswerModel } from '../../catalog/model-entry.js';
import { OPENROUTER_OPTIONS } from './openrouter-search.js';

/** OpenRouter's one answer model: which model writes is a setting of the provider. */
export const OPENROUTER_MODELS: readonly AnswerModel[] = [
  {
    slug: 'openrouter/answer',
    name: 'OpenRouter + web search',
    description: 'Any model of OpenRouter, with its web search and cited pages.',
    prices: [
      {
        kind: 'dynamic',
        typical: '0.05',
        ceiling: '0.5',
        source: 'https://openrouter.ai/docs/guides/features/server-tools/web-search',
        asOf: '2026-11-22',
        confidence: 'low',
        notes:
          'Experimental: not proved against the service. Replies report the cost, which depends on the model that is configured. Both figures are estimates for a model of average price; set your own by the `models` option of the gateway.',
      },
    ],
    features: ['citations', 'streaming'],
    options: OPENROUTER_OPTIONS,
    contextLength: null,
    // No latency is published; a model that searches takes ten seconds to a minute at others (low confidence).
    timeoutMs: 120_000,
  },
];
