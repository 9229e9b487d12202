import type { AnswerModel, FlatPrice } from '../../catalog/model-entry.js';
import { LINKUP_OPTIONS } from './linkup-search.js';

const PRICE = {
  kind: 'flat',
  source: 'https://docs.linkup.so/pages/documentation/development/pricing',
  asOf: '2026-11-20',
  confidence: 'high',
} as const;
const ONE_PASS: FlatPrice = {
  ...PRICE,
  request: '0.006',
  notes: 'USD since 2026-05; raw results cost 0.001 less. Successful calls only.',
};
const FEATURES = {
  features: ['citations'],
  vendorFeatures: ['structured_output', 'images'],
  options: LINKUP_OPTIONS,
};

/** Linkup's sourced answers, by depth. `linkup/fast`, `linkup/standard` and `linkup/deep` are search models, hence the `answer`. */
export const LINKUP_MODELS: readonly AnswerModel[] = [
  {
    slug: 'linkup/answer',
    name: 'Linkup Answer',
    description: 'One round of agentic search and a text with its sources.',
    prices: [ONE_PASS],
    ...FEATURES,
    contextLength: null,
    // Everything but deep ends within 30 s by Linkup's own account (2026-11-20).
    timeoutMs: 30_000,
  },
  {
    slug: 'linkup/answer-flash',
    name: 'Linkup Flash Answer',
    description: 'The lowest-latency look-up, for a single fact asked for in a few words.',
    prices: [ONE_PASS],
    ...FEATURES,
    contextLength: null,
    timeoutMs: 15_000,
  },
  {
    slug: 'linkup/answer-fast',
    name: 'Linkup Fast Answer',
    description: 'A single search with the unchanged question, for short questions.',
    prices: [ONE_PASS],
    ...FEATURES,
    contextLength: null,
    // About 3 s by users' account (2026-11-20).
    timeoutMs: 15_000,
  },
  {
    slug: 'linkup/answer-deep',
    name: 'Linkup Deep Answer',
    description: 'Searches and reads pages in up to ten rounds, for hard questions.',
    prices: [{ ...PRICE, request: '0.055', notes: 'USD since 2026-05; raw results cost 0.005 less.' }],
    ...FEATURES,
    contextLength: null,
    // Tens of seconds by Linkup's own account, about 25 s by users' (2026-11-20).
    timeoutMs: 120_000,
  },
];

/** The depth that a model is asked for with. */
export function depthOf({ slug }: AnswerModel): string {
  return slug === 'linkup/answer' ? 'standard' : slug.replace('linkup/answer-', '');
}
