import type { AnswerModel } from '../../catalog/model-entry.js';

/** Kagi's answers; `kagi/search` is a search model. */
export const KAGI_MODELS: readonly AnswerModel[] = [
  {
    slug: 'kagi/fastgpt',
    name: 'Kagi FastGPT',
    description: 'A short text written over live results of Kagi’s index.',
    prices: [
      {
        kind: 'flat',
        request: '0.015',
        source: 'https://help.kagi.com/kagi/api/fastgpt.html (kagisearch/kagi-docs@9e08f50)',
        asOf: '2026-08-14',
        confidence: 'medium',
        notes:
          'Cached replies are free, but do not say that they are cached. The price page of the new API was not read.',
      },
    ],
    features: ['citations'],
    contextLength: null,
    // 2 to 8 s; 7.9 s in the documentation's own sample (2026-08-14).
    timeoutMs: 30_000,
  },
];
