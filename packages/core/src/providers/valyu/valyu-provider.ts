import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { valyuAnswer } from './valyu-answer.js';
import { DATA_MAX_PRICE, VALYU_MODELS, withDataMaxPrice } from './valyu-models.js';
import { VALYU_COUNTRIES } from './valyu-search.js';

export interface ValyuSettings extends ProviderSettings {
  /**
   * What is searched: the web, licensed sources (`proprietary`), both (`all`) or news. Valyu's own default is `all`, whose results cost up to 33 times as much
   * (docs.valyu.ai/pricing, 2026-11-20). Default `web`.
   */
  readonly searchType?: 'web' | 'all' | 'proprietary' | 'news' | undefined;
  /** The most a call may spend on search data, in USD as a decimal string; the model's work comes on top. Default `"0.1"`; Valyu's own is 1. */
  readonly dataMaxPrice?: string | undefined;
  /** Where the search is made: one of the 36 countries Valyu knows, by two capital letters, or `ALL`. Default: none is sent. */
  readonly country?: string | undefined;
}

const USD = 'a decimal string of US dollars above 0, such as "0.1"';
const COUNTRIES = ['ALL', ...VALYU_COUNTRIES];
const COUNTRY = `one of ${COUNTRIES.join(', ')}`;

const valyuSettings = z.strictObject({
  ...commonSettings('https://api.valyu.ai', VALYU_MODELS),
  searchType: z.enum(['web', 'all', 'proprietary', 'news'], 'one of web, all, proprietary, news').default('web'),
  dataMaxPrice: z
    .string(USD)
    .regex(/^(?=.*[1-9])\d{1,3}(?:\.\d{1,9})?$/, USD)
    .default(DATA_MAX_PRICE),
  country: z.enum(COUNTRIES, COUNTRY).optional(),
});

/**
 * Valyu (valyu.ai).
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function valyu(settings: ValyuSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(valyuSettings, settings, 'valyu');
  const { searchType, dataMaxPrice, country } = options;
  const search = {
    search_type: searchType,
    data_max_price: Number(dataMaxPrice),
    ...(country === undefined ? {} : { country_code: country }),
  };
  return {
    id: 'valyu',
    name: 'Valyu',
    models: models.map((model) => withDataMaxPrice(model, dataMaxPrice)),
    limits,
    answer: valyuAnswer(connection, search),
  };
}
