import assert from 'node:assert/strict';
import { answered, ask, badRequest, type Expectation, type HttpCase, refused, row } from '../http-case.js';
import { SEARCHES } from '../stub-pages.js';
import { QUERIES } from '../stub-provider.js';
import type { WireResponse } from '../wire.js';
import { failed, find, mismatch, ofEveryKind, ofPath, read, tooDear, unsupported, wrong } from './kind-case.js';
import { named, replayed } from './named-call.js';

const HEAD = '{"object":"search","id":"<id>","model":"stub/find","provider":"stub"';
const ZEPHYR =
  '{"title":"Zephyr Bridge opens","url":"https://example.org/zephyr","snippet":"Opened on 14 May…",' +
  '"content":null,"date":"2021-05-14","last_updated":null,"score":0.5}';
const NEWS =
  '{"title":"news.example.com","url":"https://news.example.com/a?b=1","snippet":"","content":null,"date":null,"last_updated":"2024-02-01","score":null}';
const BODY = `${HEAD},"results":[${ZEPHYR},${NEWS}],"usage":{"results":2,"cost":0.004}}`;
const ONE = `${HEAD},"results":[${ZEPHYR}],"usage":{"results":1,"cost":0.004}}`;
const NONE = `${HEAD},"results":[],"usage":{"results":0,"cost":0.004}}`;
const CONTENT = BODY.replace('"content":null', '"content":"# Zephyr"');

const SHORT = CONTENT.replace('# Zephyr', '# Z');

const charged = (amount: string, more: Partial<Expectation> = {}): Expectation => ({
  status: 200,
  charge: { amount, model: 'stub/find' },
  ...more,
});
/** Two pages, at the flat price. */
const FOUND = charged('0.004', { body: BODY });

const CUT = { ...FOUND, body: SHORT };

/** The call that the stub got. */
function gets(name: string, fields: object, expected: object): HttpCase {
  const verify = ({ body }: WireResponse) => {
    const reply = JSON.parse(Buffer.from(body).toString()) as { results: { snippet: string }[] };
    const usual = { query: QUERIES.echo, maxResults: 10, includeContent: false };
    assert.deepEqual(JSON.parse(reply.results[0]?.snippet ?? ''), { ...usual, ...expected });
  };
  return { name, request: find({ query: QUERIES.echo, ...fields }), expect: charged('0.004', { verify }) };
}

/** A field that the smaller model cannot serve, but the other. */
function cannot(fields: object, param: string): HttpCase {
  const metadata = { options: [param.replace('search.', '')], models: ['stub/find'] };
  const request = find({ model: 'stub/find-few', max_results: 5, ...fields });
  return row(`names models for ${param}`, request, badRequest('unsupported_option', { param, metadata }));
}

const HALF_PRICE = () => ({ cache: { ttlMs: 60_000, price: '0.5' } });
const KEPT = charged('0.002', { event: { cache: 'hit', attempts: 0 } });
const REUSED = refused(422, { type: 'conflict_error', reason: 'idempotency_key_reused' });
const DEAR = { max_cost: 0.01, cheapest: { model: 'stub/find', required: 0.014 } };
const TOO_DEAR = badRequest('max_cost_exceeded', { param: 'routing.max_cost', metadata: DEAR });
const NOT_ALLOWED = refused(403, { type: 'permission_error', reason: 'model_not_allowed', param: 'model' });
const EVENT = { endpoint: 'search', model: 'stub/find', cost: 4_000_000n, attempts: 1 } as const;
const DATES = { search_after_date_filter: '1/31/2026', search_before_date_filter: '2/28/2026' };
const FILTERS = { search_domain_filter: ['-example.net'], ...DATES, country: 'DE' };
const RANGE = { publishedAfter: '2026-01-31', publishedBefore: '2026-02-28' };
const DAYS = { first: RANGE.publishedAfter, last: RANGE.publishedBefore };
const OPTIONS = { excludeDomains: ['example.net'], ...RANGE, country: 'DE', days: DAYS };
const MIX = 'must have only allowed host names, or only refused ones such as "-example.org"';

/** Rows in which a host can make a difference. */
export const SEARCH_TRANSPORT_CASES: readonly HttpCase[] = [
  { name: 'finds pages, and charges the key', request: find(), expect: { ...FOUND, event: EVENT } },
  replayed({ name: 'replays a search to the last byte, and charges once', request: find(), expect: FOUND }),
  ...ofPath('search', find, FOUND),
];

/** `POST /search`. */
export const SEARCH_CASES: readonly HttpCase[] = [
  ...SEARCH_TRANSPORT_CASES,
  { name: 'gives wanted text', request: find({ include_content: true }), expect: { ...FOUND, body: CONTENT } },
  { name: 'cuts wanted text', request: find({ include_content: true, max_content_characters: 3 }), expect: CUT },
  { name: 'gives at most max_results', request: find({ max_results: 1 }), expect: { ...FOUND, body: ONE } },
  { name: 'charges each result beyond the price', request: find({ max_results: 12 }), expect: charged('0.006') },
  { name: 'finds nothing', request: find({ query: SEARCHES.nothing }), expect: { ...FOUND, body: NONE } },
  { name: 'drops junk and repeated pages', request: find({ query: SEARCHES.junk }), expect: FOUND },
  gets(
    'hands the fields of a search to the provider',
    { max_results: 3, include_content: true, max_content_characters: 9 },
    { maxResults: 3, includeContent: true, maxContentCharacters: 9 },
  ),
  gets('takes null for what is not given', { max_results: null, include_content: null, search: null, tag: null }, {}),
  gets('takes the filters of Perplexity’s search', FILTERS, { search: OPTIONS }),
  wrong(find, { search_recency_filter: 'hour' }, 'must be "day", "week", "month" or "year"'),
  wrong(find, { search_domain_filter: ['example.org', '-example.net'] }, MIX),
  wrong(find, { max_results: 101 }, 'must be at most 100'),
  wrong(find, { max_results: '5' }, 'must be a whole number from 1 to 100'),
  wrong(find, { include_content: 'yes' }, 'must be true or false'),
  wrong(find, { max_content_characters: 9 }, 'needs include_content'),
  wrong(find, { max_content_characters: 200_001, include_content: true }, 'must be at most 200,000'),
  wrong(find, { search: { topic: 'general' } }, ['search.topic', 'must be "news"']),
  wrong(find, { query: ['When?', 'Where?'] }, 'must be a string'),
  wrong(find, { model: undefined }, 'is required: a string such as "exa/auto"'),
  wrong(find, { search: { pages: 3 } }, ['search.pages', 'is no search option']),
  ...unsupported(find, 'num_results numResults count', 'max_results'),
  ...unsupported(find, 'include_text', 'include_content'),
  ...unsupported(find, 'max_characters', 'max_content_characters'),
  ...unsupported(find, 'include_domains', 'search.include_domains'),
  ...unsupported(find, 'last_updated_after_filter', 'search.published_after'),
  ...unsupported(find, 'search_language_filter', 'search.language'),
  ...unsupported(find, 'urls page search_type'),
  ...ofEveryKind(find, FOUND),
  cannot({ max_results: 11 }, 'max_results'),
  cannot({ include_content: true }, 'include_content'),
  cannot({ search: { freshness: 'week' } }, 'search.freshness'),
  mismatch(find({ model: 'stub/flat' }), 'answer', '/api/v1/answer'),
  mismatch(find({ model: 'stub/vectors' }), 'embedding', '/api/v1/embeddings'),
  mismatch(ask({ model: 'stub/find' }), 'search', '/api/v1/search'),
  tooDear(find(), 0.004),
  { name: 'refuses a search of another model', request: { ...find(), key: 'restricted' }, expect: NOT_ALLOWED },
  row('bounds a search by max_cost', find({ max_results: 20, routing: { max_cost: '0.01' } }), TOO_DEAR),
  failed(find({ query: QUERIES.fail('upstream_error') }), 'stub/find'),
  { ...row('refuses an extract under the name of a search', named(read()), REUSED), before: answered(named(find())) },
  { name: 'gives a kept search again', gateway: HALF_PRICE, before: answered(find()), request: find(), expect: KEPT },
];
