import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { tavilyAnswer } from './tavily-answer.js';
import { atCreditPrice, LIST_PRICE_OF_CREDIT, TAVILY_MODELS } from './tavily-models.js';

export interface TavilySettings extends ProviderSettings {
  /**
   * What the account pays for a credit, in USD as a decimal string. Tavily reports credits only; this turns them into the cost of a
   * call and the listed price. Default `"0.008"`, the price without a plan; plans sell credits at 0.005 to 0.0075 (2026-11-20).
   */
  readonly usdPerCredit?: string | undefined;
  /** How many results an answer is written from and cites, 1 to 20. Changes no price. Default 5. */
  readonly maxResults?: number | undefined;
  /** What is searched. Default `general`. */
  readonly topic?: 'general' | 'news' | 'finance' | undefined;
  /** Prefers results from a country, by its English name in lower case (`"germany"`); only for the topic `general`. Default: none. */
  readonly country?: string | undefined;
  /**
   * The longest query that is sent; a longer one is refused at once. Tavily's own limit is 400 characters (seen in its error
   * replies, 2026-11-20), which is the default.
   */
  readonly maxQueryCharacters?: number | undefined;
}

const USD = 'a decimal string of US dollars above 0 with at most 9 decimals, such as "0.008"';
const COUNTRY = 'the English name of a country in lower case, such as "germany"';

const tavilySettings = z
  .strictObject({
    ...commonSettings('https://api.tavily.com', TAVILY_MODELS),
    usdPerCredit: z
      .string(USD)
      .regex(/^(?=.*[1-9])\d(?:\.\d{1,9})?$/, USD)
      .default(LIST_PRICE_OF_CREDIT),
    maxResults: z.int('a whole number').min(1, 'at least 1').max(20, 'at most 20').default(5),
    topic: z.enum(['general', 'news', 'finance'], 'general, news or finance').default('general'),
    country: z
      .string(COUNTRY)
      .regex(/^[a-z]+(?: [a-z]+)*$/, COUNTRY)
      .optional(),
    maxQueryCharacters: z.int('a whole number').min(1, 'at least 1').default(400),
  })
  .refine(({ topic, country }) => country === undefined || topic === 'general', {
    path: ['country'],
    message: 'no country beside a topic other than general',
  });

/**
 * Tavily (tavily.com). Its rate limits hold per key: 100 requests a minute for development, 1,000 in production at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function tavily(settings: TavilySettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(tavilySettings, settings, 'tavily');
  const { usdPerCredit, maxResults, topic, country, maxQueryCharacters } = options;
  const defaults = { max_results: maxResults, topic, ...(country === undefined ? {} : { country }) };
  return {
    id: 'tavily',
    name: 'Tavily',
    models: models.map((model) => atCreditPrice(model, usdPerCredit)),
    limits,
    answer: tavilyAnswer(connection, { usdPerCredit, maxQueryCharacters, defaults }),
  };
}
