import { ask, type Expectation, type HttpCase, invalid, refused } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import { failed, find, mismatch, ofPath, sort, tooDear, tooLong, unsupported, wrong } from './capability-case.js';
import { replayed } from './named-call.js';

/** @param ranks the documents, which are their scores, with their indexes, in the order of the reply. */
function sorted(ranks: readonly (readonly [index: number, text: string])[], model = 'stub/sort'): Expectation {
  const results = ranks.map(
    ([index, text]) => `{"index":${index},"relevance_score":${Number(text)},"document":{"text":"${text}"}}`,
  );
  const meta = '"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}';
  const amount = model === 'stub/sort' ? '0.002' : '0.001';
  const usage = `"usage":{"search_units":1,"cost":${amount}}`;
  const body = `{"id":"<id>","model":"${model}","provider":"stub","results":[${results.join()}],${meta},${usage}}`;
  return { status: 200, body, charge: { amount, model } };
}
const SORTED = sorted([
  [1, '0.9'],
  [2, '0.50'],
  [0, '0.2'],
]);
const TIED = sorted([
  [1, '1'],
  [0, '-3'],
  [2, '-3.0'],
]);
const TWO = sorted([
  [1, '0.9'],
  [2, '0.50'],
]);
const CHEAP = sorted(
  [
    [0, '0.9'],
    [1, '0.2'],
  ],
  'stub/sort-few',
);

const NULLS = {
  top_n: null,
  return_documents: null,
  max_tokens_per_doc: null,
  priority: null,
  routing: null,
  tag: null,
};
const many = (length: number) => Array.from({ length }, (_, at) => `${at}`);
const NO_LIST = 'must be an array of 1 to 1000 texts';
const NO_TEXT = 'must be a string, or an object with the string "text"';
const grouped = () => ({ groups: { sorters: { models: ['stub/sort', 'stub/sort-few'], sort: 'price' as const } } });
const FEW = { options: ['documents'], models: ['stub/sort'] };
const UNUSABLE = { provider: 'stub', model: 'stub/sort', attempts: 1, upstream_status: 200, phase: 'shape' };
const EVENT = { endpoint: 'rerank', model: 'stub/sort', cost: 2_000_000n, attempts: 1 } as const;
const V2 = { ...sort(), target: '/api/v2/rerank' };

/** Rows in which a host can make a difference. */
export const RERANK_TRANSPORT_CASES: readonly HttpCase[] = [
  { name: 'sorts documents, and charges the key', request: sort(), expect: { ...SORTED, event: EVENT } },
  { name: 'sorts documents at the path of Cohere’s second version', request: V2, expect: { ...SORTED, event: EVENT } },
  ...ofPath('rerank', sort, SORTED),
  {
    name: 'leaves the path of Cohere’s second version to the host if off',
    gateway: () => ({ endpoints: { rerank: false } }),
    request: V2,
    expect: { status: 404, by: 'host' },
  },
  ...tooLong('rerank', sort({ documents: ['x'.repeat(1_000)] })),
];

/** `POST /rerank`. */
export const RERANK_CASES: readonly HttpCase[] = [
  ...RERANK_TRANSPORT_CASES,
  replayed({ name: 'replays a rerank to the last byte, and charges once', request: sort(), expect: SORTED }),
  { name: 'keeps equal scores in order', request: sort({ documents: ['-3', '1', '-3.0'] }), expect: TIED },
  { name: 'gives the first top_n', request: sort({ top_n: 2, return_documents: false }), expect: TWO },
  { name: 'gives all documents if top_n is more', request: sort({ top_n: 9 }), expect: SORTED },
  { name: 'takes null for what is not given in a rerank', request: sort(NULLS), expect: SORTED },
  {
    name: 'charges each search unit',
    request: sort({ documents: many(101) }),
    expect: { status: 200, charge: { amount: '0.004', model: 'stub/sort' } },
  },
  {
    name: 'takes documents longer than other bodies may be',
    request: sort({ documents: ['1'.padStart(100_000)] }),
    expect: { status: 200, charge: { amount: '0.002', model: 'stub/sort' } },
  },
  wrong(sort, { documents: undefined }, 'is required: an array of 1 to 1000 texts'),
  wrong(sort, { documents: [] }, NO_LIST),
  wrong(sort, { documents: many(1_001) }, NO_LIST),
  wrong(sort, { documents: '0.5' }, NO_LIST),
  wrong(sort, { documents: ['0.5', { image: 'x' }] }, ['documents.1', NO_TEXT]),
  wrong(sort, { documents: [''] }, ['documents.0', 'must not be empty']),
  wrong(sort, { top_n: 0 }, 'must be at least 1'),
  wrong(sort, { top_n: 1.5 }, 'must be a whole number'),
  wrong(sort, { query: undefined }, 'is required: a string'),
  wrong(sort, { model: undefined }, 'is required: a string such as "cohere/rerank-v4.0-pro"'),
  ...unsupported(sort, 'top_k max_results', 'top_n'),
  ...unsupported(sort, 'texts passages', 'documents'),
  ...unsupported(sort, 'stream search max_chunks_per_doc priority'),
  mismatch(sort({ model: 'stub/find' }), 'search', '/api/v1/search'),
  mismatch(ask({ model: 'stub/sort' }), 'rerank', '/api/v1/rerank'),
  tooDear(sort({ documents: many(201) }), 0.006),
  failed(sort({ query: QUERIES.fail('upstream_error') }), 'stub/sort'),
  {
    name: 'names models for more documents',
    request: sort({ model: 'stub/sort-few' }),
    expect: refused(400, invalid('unsupported_option', { param: 'documents', metadata: FEW })),
  },
  {
    name: 'answers 502 for a score that is no number',
    request: sort({ documents: ['0.5', 'odd'] }),
    expect: refused(
      502,
      { type: 'upstream_error', reason: 'upstream_invalid_response', metadata: UNUSABLE },
      { loss: { amount: '0.002', model: 'stub/sort' } },
    ),
  },
  {
    name: 'asks the cheapest of a group that takes so many documents',
    gateway: grouped,
    request: sort({ model: 'sorters' }),
    expect: SORTED,
  },
  {
    name: 'asks the cheapest model of a group of rerank models',
    gateway: grouped,
    request: sort({ model: 'sorters', documents: ['0.9', '0.2'] }),
    expect: CHEAP,
  },
  {
    ...mismatch(find({ model: 'sorters' }), 'rerank', '/api/v1/rerank'),
    name: 'names the path of a group',
    gateway: grouped,
  },
];
