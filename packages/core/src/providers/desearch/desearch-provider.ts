import { z } from 'zod';
import type { AnswerModel } from '../../catalog/model-entry.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { desearchAnswer } from './desearch-answer.js';

const PROVENANCE = {
  source:
    'https://github.com/Desearch-ai/desearch-py-examples (measured 2026-10-03 and 2026-10-04, billing note of 2026-10-05)',
  asOf: '2026-10-05',
} as const;

const NOTES =
  'Experimental: built from the vendor’s examples, not tested with the service. Found pages are billed: ten cost 0.004. No price list was found.';

const COMMON = {
  features: ['citations'],
  vendorFeatures: ['domains_filter', 'date_filter', 'streaming'],
  contextLength: null,
} as const;

/** Desearch's models for texts over web pages. */
const DESEARCH_MODELS: readonly AnswerModel[] = [
  {
    slug: 'desearch/nova',
    name: 'Desearch Nova',
    description: 'One web search over a decentralised network and a text written from ten pages.',
    prices: [{ kind: 'flat', request: '0.004', confidence: 'medium', notes: NOTES, ...PROVENANCE }],
    ...COMMON,
    // 6 to 11 s (measured by the vendor, 2026-10-04).
    timeoutMs: 45_000,
  },
  {
    slug: 'desearch/orbit',
    name: 'Desearch Orbit',
    description: 'A slower search and a more thorough text than Nova’s.',
    prices: [{ kind: 'dynamic', typical: '0.004', ceiling: '0.02', confidence: 'low', notes: NOTES, ...PROVENANCE }],
    ...COMMON,
    // About 30 s (its tool's description, 2026).
    timeoutMs: 90_000,
  },
];

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
