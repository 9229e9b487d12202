import type { AnswerModel } from '../../catalog/model-entry.js';
import { SERPAPI_OPTIONS } from './serpapi-search.js';

/** USD per search on the plan of 5,000 a month for 75 dollars; others cost 0.009 to 0.025. */
export const LIST_PRICE_OF_SEARCH = '0.015';

/** SerpApi's answer model; `serpapi/google` is a search model. */
export const SERPAPI_MODELS: readonly AnswerModel[] = [
  {
    slug: 'serpapi/google-ai-mode',
    name: 'SerpApi Google AI Mode',
    description: 'The answer Google’s AI Mode shows to a visitor, with the pages it names as its sources.',
    prices: [
      {
        kind: 'flat',
        request: LIST_PRICE_OF_SEARCH,
        source: 'https://hivebook.wiki/wiki/serpapi-google-bing-100-serp-api-for-ai-agents',
        asOf: '2026-05-31',
        confidence: 'low',
        notes:
          'One search of a monthly plan; what it costs depends on the plan. Cached replies are free, but do not say that they are cached.',
      },
    ],
    features: ['citations'],
    options: SERPAPI_OPTIONS,
    contextLength: null,
    // 5 to 20 s; 6.6 s in a recorded reply (2026-09-27).
    timeoutMs: 60_000,
  },
];

/** A model at another price per search. */
export function atSearchPrice(model: AnswerModel, usdPerSearch: string): AnswerModel {
  return { ...model, prices: model.prices.map((price) => ({ ...price, kind: 'flat', request: usdPerSearch })) };
}
