import { ask, type Expectation, type HttpCase, row } from '../http-case.js';
import { QUERIES } from '../stub-provider.js';
import { askOf, failed, mismatch, ofEveryKind, ofPath, tooDear, tooLong, unsupported, wrong } from './kind-case.js';
import { replayed } from './named-call.js';

const DOCUMENTS = ['0.2', { text: '0.9' }, '0.50'];
/** A valid request. */
const sort = askOf(
  'rerank',
  { model: 'stub/sort', query: 'When did it open?', documents: DOCUMENTS },
  'model, query, documents, top_n, tag, routing',
);

/** @param ranks indexes and documents, which are their scores, in the order of the reply: `1:0.9 0:0.2`. */
function sorted(ranks: string): Expectation {
  const results = ranks.split(' ').map((rank) => {
    const [index, text] = rank.split(':');
    return `{"index":${index},"relevance_score":${Number(text)},"document":{"text":"${text}"}}`;
  });
  const meta = '"meta":{"api_version":{"version":"2"},"billed_units":{"search_units":1}}';
  const usage = '"usage":{"search_units":1,"cost":0.002}';
  const body = `{"id":"<id>","model":"stub/sort","provider":"stub","results":[${results.join()}],${meta},${usage}}`;
  return { ...CHARGED, body };
}
const CHARGED: Expectation = { status: 200, charge: { amount: '0.002', model: 'stub/sort' } };
const ALL = sorted('1:0.9 2:0.50 0:0.2');

const NULLS = { top_n: null, return_documents: null, max_tokens_per_doc: null, priority: null, tag: null };
const many = (length: number) => Array.from({ length }, (_, at) => `${at}`);
const NO_TEXT = 'must be a string, or an object with the string "text"';
const grouped = () => ({ groups: { sorters: { models: ['stub/sort', 'stub/sort-few'], sort: 'price' as const } } });
const EVENT = { endpoint: 'rerank', model: 'stub/sort', cost: 2_000_000n, attempts: 1 } as const;
const V2 = { ...sort(), target: '/api/v2/rerank' };
const LONG = sort({ documents: ['1'.padStart(100_000)] });

/** Rows in which a host can make a difference. */
export const RERANK_TRANSPORT_CASES: readonly HttpCase[] = [
  row('sorts documents, and charges the key', sort(), { ...ALL, event: EVENT }),
  row('sorts documents at the path of Cohere’s second version', V2, { ...ALL, event: EVENT }),
  ...ofPath('rerank', sort, ALL),
  ...tooLong('rerank', sort({ documents: ['x'.repeat(1_000)] })),
];

/** `POST /rerank`. */
export const RERANK_CASES: readonly HttpCase[] = [
  ...RERANK_TRANSPORT_CASES,
  replayed(row('replays a rerank to the last byte, and charges once', sort(), ALL)),
  row('gives the first top_n', sort({ top_n: 2, return_documents: false }), sorted('1:0.9 2:0.50')),
  row('takes null for what is not given in a rerank', sort(NULLS), ALL),
  row('takes documents longer than other bodies may be', LONG, CHARGED),
  { ...row('asks the cheapest of a group that takes so many', sort({ model: 'sorters' }), ALL), gateway: grouped },
  wrong(sort, { documents: undefined }, 'is required: an array of 1 to 1000 texts'),
  wrong(sort, { documents: many(1_001) }, 'must be an array of 1 to 1000 texts'),
  wrong(sort, { documents: ['0.5', { image: 'x' }] }, ['documents.1', NO_TEXT]),
  wrong(sort, { documents: [''] }, ['documents.0', 'must not be empty']),
  wrong(sort, { top_n: 0 }, 'must be at least 1'),
  ...unsupported(sort, 'top_k', 'top_n'),
  ...unsupported(sort, 'passages', 'documents'),
  ...unsupported(sort, 'search max_chunks_per_doc priority'),
  ...ofEveryKind(sort, ALL),
  mismatch(sort({ model: 'stub/find' }), 'search', '/api/v1/search'),
  mismatch(ask({ model: 'stub/sort' }), 'rerank', '/api/v1/rerank'),
  tooDear(sort({ documents: many(201) }), 0.006),
  failed(sort({ query: QUERIES.fail('upstream_error') }), 'stub/sort'),
];
