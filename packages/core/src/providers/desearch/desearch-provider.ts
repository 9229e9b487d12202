import { z } from 'zod';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { desearchAnswer } from './desearch-answer.js';
import { DESEARCH_MODELS } from './desearch-models.js';

const DATE_FILTERS = [
  'PAST_24_HOURS',
  'PAST_2_DAYS',
  'PAST_WEEK',
  'PAST_2_WEEKS',
  'PAST_MONTH',
  'PAST_2_MONTHS',
  'PAST_YEAR',
  'PAST_2_YEARS',
] as const;

export interface DesearchSettings extends ProviderSettings {
  /**
   * How old pages may be. Desearch's documentation says that it is `PAST_24_HOURS` where nothing is sent, while its own evaluation asks for facts of any age
   * without it (2026), and it was found to keep some older pages (2026-10-04). Default: none is sent.
   */
  readonly dateFilter?: (typeof DATE_FILTERS)[number] | undefined;
}

const desearchSettings = z.strictObject({
  ...commonSettings('https://api.desearch.ai', DESEARCH_MODELS),
  dateFilter: z.enum(DATE_FILTERS, `one of ${DATE_FILTERS.join(', ')}`).optional(),
});

/**
 * Desearch (desearch.ai). Experimental: not proved against the service.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function desearch(settings: DesearchSettings): Provider {
  const { models, limits, connection, options } = parseProviderSettings(desearchSettings, settings, 'desearch');
  const { dateFilter } = options;
  const search = dateFilter === undefined ? {} : { date_filter: dateFilter };
  return { id: 'desearch', name: 'Desearch', models, limits, answer: desearchAnswer(connection, search) };
}
