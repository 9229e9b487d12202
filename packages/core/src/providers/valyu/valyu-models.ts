import { formatUsd, type NanoUsd, parseUsd } from '../../base/money.js';
import type { AnswerModel } from '../../catalog/model-entry.js';
import { VALYU_OPTIONS } from './valyu-search.js';

/** More than search data costs a call, by default: Valyu's own default of 1 USD lets one answer buy whatever it likes. */
export const DATA_MAX_PRICE = '0.1';

/** What a call is expected to cost at most beside its search data. */
const MAX_WRITING: NanoUsd = parseUsd('0.15');

const PRICE = {
  kind: 'dynamic',
  typical: '0.13',
  ceiling: '0.25',
  source: 'https://docs.valyu.ai/api-reference/endpoint/answer ; https://docs.valyu.ai/pricing',
  asOf: '2026-11-20',
  confidence: 'medium',
  notes:
    '0.10 a request and the cost of search and model, by the OpenAPI document 2.2.0; recipes show totals of 0.027 to 0.127. Replies report the cost. typical: the fee and usual extras; ceiling: an estimate.',
} as const;

const FEATURES = {
  features: ['citations', 'streaming'],
  vendorFeatures: ['structured_output', 'news', 'content'],
  options: VALYU_OPTIONS,
};

/** Valyu's answers. `valyu/deepsearch` and its siblings are search models. */
export const VALYU_MODELS: readonly AnswerModel[] = [
  {
    slug: 'valyu/answer',
    name: 'Valyu Answer',
    description: 'Searches in a few rounds and answers from full pages; licensed sources can be switched on.',
    prices: [PRICE],
    ...FEATURES,
    contextLength: null,
    // No latency is published; public clients wait 30 to 60 s (2026-11-20).
    timeoutMs: 90_000,
  },
  {
    slug: 'valyu/answer-fast',
    name: 'Valyu Fast Answer',
    description: 'The same with Valyu’s fast mode, which prefers web and finance sources.',
    prices: [PRICE],
    ...FEATURES,
    contextLength: null,
    timeoutMs: 60_000,
  },
];

/** A model whose calls may buy search data for so much, which the most a call is held at has to follow. */
export function withDataMaxPrice(model: AnswerModel, dataMaxPrice: string): AnswerModel {
  const ceiling = formatUsd(MAX_WRITING + parseUsd(dataMaxPrice));
  return { ...model, prices: [{ ...PRICE, ceiling }] };
}
