import type { AnswerModel } from '../../catalog/model-entry.js';

const PROVENANCE = {
  source:
    'https://github.com/Desearch-ai/desearch-py-examples (measured 2026-10-03 and 2026-10-04, billing note of 2026-10-05)',
  asOf: '2026-10-05',
} as const;

const NOTES =
  'Experimental: put together from the vendor’s examples, not proved against the service. Billed by the pages found, ten of which cost 0.004; no price list was found.';

const COMMON = {
  features: ['citations'],
  vendorFeatures: ['domains_filter', 'date_filter', 'streaming'],
  contextLength: null,
} as const;

/** Desearch's models for texts over web pages. */
export const DESEARCH_MODELS: readonly AnswerModel[] = [
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
