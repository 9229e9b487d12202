import type { AnswerModel, DynamicPrice } from '../../catalog/model-entry.js';
import { GOOGLE_OPTIONS } from './google-search.js';

const PRICING = 'https://ai.google.dev/gemini-api/docs/pricing';
const RATES = 'npm @pydantic/genai-prices 0.1.8';
const LAUNCH = 'https://github.com/iyulab/TokenMeter/releases ; https://github.com/BerriAI/litellm/discussions/46238';

const CARBON = 'https://github.com/BerriAI/litellm/issues/50970 ; https://docs.laozhang.ai';

/** One unit per query that Google ran, of which the model may run many; Google gives 5,000 a month free, which are not counted here. */
const SEARCH_FEE = '0.014';
const ESTIMATE =
  'typical: two searches and a short answer; ceiling: 15 searches, as many as have been seen. Both are estimates.';

const FEATURES = {
  features: ['citations', 'reasoning', 'streaming'],
  vendorFeatures: ['multimodal'],
  options: GOOGLE_OPTIONS,
};
const CONTEXT_LENGTH = 1_048_576;

/** The one listed model with a thinking level above `high` (docs.cloud.google.com, guide to Gemini 4 Hydrogen, read 2026-11-22). */
export const HYDROGEN = 'google/gemini-4-hydrogen';

/** Google's answer models, cheapest first. The part of the slug behind the slash is the model's own id. */
export const GOOGLE_MODELS: readonly AnswerModel[] = [
  {
    slug: 'google/gemini-3.5-flash-lite',
    name: 'Gemini 3.5 Flash-Lite + Google Search',
    description: 'The cheapest Gemini that writes from Google Search: quick answers to plain questions.',
    prices: [
      dynamicPrice(['0.3', '0.03', '2.5'], {
        typical: '0.03',
        ceiling: '0.25',
        source: `${RATES} ; ${PRICING}`,
        asOf: '2026-09-23',
        confidence: 'high',
      }),
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: 60_000,
  },
  {
    slug: 'google/gemini-3.8-flash',
    name: 'Gemini 3.8 Flash + Google Search',
    description: 'A fast Gemini that writes from Google Search, for most questions.',
    prices: [
      dynamicPrice(['0.75', '0.075', '3.75'], {
        typical: '0.034',
        ceiling: '0.25',
        source: `${RATES} ; ${PRICING}`,
        asOf: '2026-09-23',
        confidence: 'high',
      }),
      dynamicPrice(['1.5', '0.15', '7.5'], {
        validFrom: '2027-01-01',
        typical: '0.04',
        ceiling: '0.3',
        source: `${RATES} ; ${PRICING}`,
        asOf: '2026-09-23',
        confidence: 'high',
      }),
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: 60_000,
  },
  {
    slug: HYDROGEN,
    name: 'Gemini 4 Hydrogen + Google Search',
    description: 'The Gemini 4 that Google names as the successor of 3.8 Flash, writing from Google Search.',
    prices: [
      dynamicPrice(['1.5', '0.075', '7.5'], {
        typical: '0.039',
        ceiling: '0.3',
        source: LAUNCH,
        asOf: '2026-11-20',
        confidence: 'medium',
      }),
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: 120_000,
  },
  {
    slug: 'google/gemini-4-argon',
    name: 'Gemini 4 Argon + Google Search',
    description: 'Google’s general Gemini 4, writing from Google Search.',
    prices: [
      dynamicPrice(['2', '0.1', '10'], {
        typical: '0.045',
        ceiling: '0.3',
        source: LAUNCH,
        asOf: '2026-10-13',
        confidence: 'medium',
      }),
      dynamicPrice(['4', '0.2', '20'], {
        validFrom: '2026-12-01',
        typical: '0.06',
        ceiling: '0.4',
        source: LAUNCH,
        asOf: '2026-10-13',
        confidence: 'medium',
      }),
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: 120_000,
  },
  {
    slug: 'google/gemini-4-carbon',
    name: 'Gemini 4 Carbon + Google Search',
    description: 'Google’s strongest model since 2026-11-10, writing from Google Search; only for paying projects.',
    prices: [
      dynamicPrice(['2', '0.1', '10'], {
        typical: '0.045',
        ceiling: '0.3',
        source: CARBON,
        asOf: '2026-11-11',
        confidence: 'medium',
      }),
      dynamicPrice(['4', '0.2', '20'], {
        validFrom: '2026-12-01',
        typical: '0.06',
        ceiling: '0.4',
        source: CARBON,
        asOf: '2026-11-11',
        confidence: 'medium',
      }),
    ],
    ...FEATURES,
    contextLength: CONTEXT_LENGTH,
    timeoutMs: 120_000,
  },
];

type Rates = readonly [input: string, cachedInput: string, output: string];
type Terms = Pick<DynamicPrice, 'typical' | 'ceiling' | 'source' | 'asOf' | 'confidence'> & {
  readonly validFrom?: string;
};

/** @param rates USD per million tokens. */
function dynamicPrice([input, cachedInput, output]: Rates, terms: Terms): DynamicPrice {
  return {
    kind: 'dynamic',
    perMillionInputTokens: input,
    perMillionCachedInputTokens: cachedInput,
    perMillionOutputTokens: output,
    perSearch: SEARCH_FEE,
    notes: ESTIMATE,
    ...terms,
  };
}
