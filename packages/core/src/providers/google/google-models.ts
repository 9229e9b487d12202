import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { modelRows, tokenRates } from '../../provider-kit/model-rows.js';

const RANGE_FIELD = 'tools[].googleSearch.timeRangeFilter';

/**
 * Options of the tool `google_search` (python-genai of 2026-08-21). A range has both ends or none. Only Google's enterprise platform excludes
 * domains.
 */
const GOOGLE_OPTIONS = {
  freshness: { as: RANGE_FIELD },
  publishedAfter: { as: RANGE_FIELD, needs: ['publishedBefore'] },
  publishedBefore: { as: RANGE_FIELD, needs: ['publishedAfter'] },
} as const satisfies OptionSupport;

/** Fields of the tool. */
export function googleSearch({ period, publishedAfter, publishedBefore }: AskedSearch): object {
  const [startTime, endTime] =
    period === undefined
      ? [`${publishedAfter}T00:00:00Z`, `${publishedBefore}T23:59:59.999Z`]
      : [period.from, period.to];
  return { timeRangeFilter: { startTime, endTime } };
}

/** Shared fields of the prices; the rows of Gemini 4 replace the source. */
const PRICE = {
  kind: 'dynamic',
  // Per query that Google ran; the model may run many. The 5,000 free queries a month are not counted here.
  perSearch: '0.014',
  source: 'npm @pydantic/genai-prices 0.1.8 ; https://ai.google.dev/gemini-api/docs/pricing',
  asOf: '2026-09-23',
  confidence: 'high',
  notes:
    'typical: two searches and a short answer; ceiling: 15 searches, as many as have been seen. Both are estimates.',
} as const;

const HYDROGEN_PRICE = {
  ...PRICE,
  source: 'https://github.com/iyulab/TokenMeter/releases ; https://github.com/BerriAI/litellm/discussions/46238',
  asOf: '2026-11-20',
  confidence: 'medium',
} as const;
const ARGON_PRICE = { ...HYDROGEN_PRICE, asOf: '2026-10-13' } as const;
const CARBON_PRICE = {
  ...HYDROGEN_PRICE,
  source: 'https://github.com/BerriAI/litellm/issues/50970 ; https://docs.laozhang.ai',
  asOf: '2026-11-11',
} as const;

/** Rates and estimates of Argon and Carbon until 2026-11-30, and from 2026-12-01 on. */
const LAUNCH_RATES = {
  ...tokenRates({ input: '2', cachedInput: '0.1', output: '10' }),
  typical: '0.045',
  ceiling: '0.3',
};
const LATER_RATES = {
  ...tokenRates({ input: '4', cachedInput: '0.2', output: '20' }),
  validFrom: '2026-12-01',
  typical: '0.06',
  ceiling: '0.4',
};

const COMMON = {
  features: ['citations', 'reasoning', 'streaming', 'multi_turn'],
  options: GOOGLE_OPTIONS,
  contextLength: 1_048_576,
  timeoutMs: 120_000,
};

/** The only listed model with a thinking level above `high` (docs.cloud.google.com, guide to Gemini 4 Hydrogen, read 2026-11-22). */
export const HYDROGEN = 'google/gemini-4-hydrogen';

/** Google's answer models, cheapest first. The part of the slug behind the slash is Google's id of the model. */
export const GOOGLE_MODELS = modelRows(COMMON, [
  {
    slug: 'google/gemini-3.5-flash-lite',
    name: 'Gemini 3.5 Flash-Lite + Google Search',
    description: 'The cheapest Gemini that writes from Google Search: quick answers to plain questions.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '0.3', cachedInput: '0.03', output: '2.5' }),
        typical: '0.03',
        ceiling: '0.25',
      },
    ],
    timeoutMs: 60_000,
  },
  {
    slug: 'google/gemini-3.8-flash',
    name: 'Gemini 3.8 Flash + Google Search',
    description: 'A fast Gemini that writes from Google Search, for most questions.',
    prices: [
      {
        ...PRICE,
        ...tokenRates({ input: '0.75', cachedInput: '0.075', output: '3.75' }),
        typical: '0.034',
        ceiling: '0.25',
      },
      {
        ...PRICE,
        ...tokenRates({ input: '1.5', cachedInput: '0.15', output: '7.5' }),
        validFrom: '2027-01-01',
        typical: '0.04',
        ceiling: '0.3',
      },
    ],
    timeoutMs: 60_000,
  },
  {
    slug: HYDROGEN,
    name: 'Gemini 4 Hydrogen + Google Search',
    description: 'The Gemini 4 that Google names as the successor of 3.8 Flash, writing from Google Search.',
    prices: [
      {
        ...HYDROGEN_PRICE,
        ...tokenRates({ input: '1.5', cachedInput: '0.075', output: '7.5' }),
        typical: '0.039',
        ceiling: '0.3',
      },
    ],
  },
  {
    slug: 'google/gemini-4-argon',
    name: 'Gemini 4 Argon + Google Search',
    description: 'Google’s general Gemini 4, writing from Google Search.',
    prices: [
      { ...ARGON_PRICE, ...LAUNCH_RATES },
      { ...ARGON_PRICE, ...LATER_RATES },
    ],
  },
  {
    slug: 'google/gemini-4-carbon',
    name: 'Gemini 4 Carbon + Google Search',
    description: 'Google’s strongest model since 2026-11-10, writing from Google Search; only for paying projects.',
    prices: [
      { ...CARBON_PRICE, ...LAUNCH_RATES },
      { ...CARBON_PRICE, ...LATER_RATES },
    ],
  },
]);
