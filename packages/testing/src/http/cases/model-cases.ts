import assert from 'node:assert/strict';
import { CATEGORIES } from '@searchgate/core';
import { ask, badRequest, type CaseRequest, type HttpCase, invalid, refused, row } from '../http-case.js';
import type { WireResponse } from '../wire.js';

const NULLS = '"max_results":null,"included_results":null,"result_step":null,"dimensions":null,"max_input_tokens":null';
const entry = (name: string, pricing: string, { contextLength = 'null', features = '"citations"' } = {}) =>
  `{"id":"stub/${name}","object":"model","created":"<created>","owned_by":"stub","name":"Stub ${name}","category":"answer","provider":"stub","description":"Answers from memory (${name}).",` +
  `"pricing":{"unit":"USD",${pricing}},"search_types":null,"features":[${features}],"policies":[],"options":[],${NULLS},"context_length":${contextLength},"retires_on":null,"replacement":null,"verified_at":null,"callable":true}`;

const ANSWER_MODELS = `{"object":"list","data":[${[
  entry('backup', '"request":"0.002"'),
  entry('flat', '"request":"0.005"'),
  entry('fragile', '"request":"0.001"'),
  entry('metered', '"request":"-1","per_1m_input_tokens":"1","per_1m_output_tokens":"2.5"', {
    contextLength: '128000',
  }),
  entry('streamed', '"request":"0.005"', {
    features: '"citations","streaming","multi_turn","instructions","max_output_tokens"',
  }),
].join(',')}]}`;

const LISTED: CaseRequest = { target: '/api/v1/models?category=answer' };
const CACHEABLE = { 'cache-control': 'private, max-age=60', etag: /^"[^"]+"$/ };
const FIELDS = (
  'id object created owned_by name category provider description pricing search_types features policies ' +
  'max_results included_results result_step dimensions max_input_tokens context_length retires_on replacement ' +
  'verified_at callable'
).split(' ');

const entriesOf = ({ body }: WireResponse) =>
  (JSON.parse(Buffer.from(body).toString()) as { data: Record<string, unknown>[] }).data;

function badParameter(query: string): HttpCase {
  return {
    name: `refuses ?${query}`,
    request: { target: `/api/v1/models?${query}` },
    expect: refused(400, invalid('invalid_parameter', { param: 'category', metadata: { allowed: [...CATEGORIES] } }), {
      headers: { 'cache-control': 'no-store' },
    }),
  };
}

function filter(query: string, note: string): HttpCase {
  const [param = ''] = query.split('=');
  return {
    name: `refuses ?${query}, for which no list is filtered`,
    request: { target: `/api/v1/models?${query}` },
    expect: badRequest('unsupported_field', { param, note }),
  };
}

function revalidation(name: string, status: 200 | 304, ifNoneMatch: (etag: string) => string): HttpCase {
  return {
    ...row(name, LISTED, {
      status,
      headers: status === 304 ? { ...CACHEABLE, 'content-type': null, 'content-length': null } : CACHEABLE,
    }),
    before: async (stage) => {
      const { headers } = await stage.send(LISTED).response;
      return { 'if-none-match': ifNoneMatch(headers['etag'] ?? '') };
    },
  };
}

const unknownModel = (suggestions: readonly string[]) =>
  refused(404, { type: 'not_found_error', reason: 'model_not_found', param: 'model', metadata: { suggestions } });

/** `GET /models`. */
const LISTING_CASES: readonly HttpCase[] = [
  {
    name: 'lists answer models exactly, null where a field does not apply',
    request: LISTED,
    expect: { status: 200, body: ANSWER_MODELS, headers: CACHEABLE, event: { endpoint: 'models' } },
  },
  {
    name: 'lists every category, and the 20 fields of every entry, besides the options of callable models',
    request: { target: '/api/v1/models?user=ada&verbose=1' },
    expect: {
      status: 200,
      headers: CACHEABLE,
      verify: (response) => {
        const entries = entriesOf(response);
        for (const { options, ...found } of entries) {
          assert.deepEqual(Object.keys(found), FIELDS, String(found['id']));
          const hasOptions = found['callable'] === true && ['answer', 'search'].includes(String(found['category']));
          assert.equal(Array.isArray(options), hasOptions);
        }
        assert.deepEqual(new Set(entries.map(({ category }) => category)), new Set(CATEGORIES));
        assert.ok(entries.some(({ id }) => id === 'stub/vectors'));
      },
    },
  },
  ...CATEGORIES.map((category) => ({
    name: `lists the category ${category} alone`,
    request: { target: `/api/v1/models?category=${category}` },
    expect: {
      status: 200,
      headers: CACHEABLE,
      verify: (response: WireResponse) => {
        assert.deepEqual(new Set(entriesOf(response).map((found) => found['category'])), new Set([category]));
      },
    },
  })),
  {
    ...row('lists prices with the markup', LISTED, {
      status: 200,
      verify: (response) => assert.deepEqual(entriesOf(response)[1]?.['pricing'], { unit: 'USD', request: '0.01' }),
    }),
    gateway: () => ({ markup: '2' }),
  },
  row('serves HEAD on models', { method: 'HEAD', ...LISTED }, { status: 200, headers: CACHEABLE }),
  ...['stub/flat', 'stub%2Fflat'].map((slug): HttpCase => {
    return {
      name: `gives the one model ${slug}, as clients of OpenAI ask for it`,
      request: { target: `/api/v1/models/${slug}` },
      expect: {
        status: 200,
        body: entry('flat', '"request":"0.005"'),
        headers: CACHEABLE,
        event: { endpoint: 'models' },
      },
    };
  }),
  ...['stub/flatt', 'stub%2Fflatt'].map((slug): HttpCase => {
    const error = {
      type: 'not_found_error',
      reason: 'model_not_found',
      metadata: { suggestions: ['stub/flat', 'stub/find', 'stub/read'] },
    } as const;
    return row(`suggests models for the unknown ${slug}`, { target: `/api/v1/models/${slug}` }, refused(404, error));
  }),
  badParameter('category='),
  badParameter('category=chat'),
  badParameter('category=answer,search'),
  badParameter('category=answer&category=search'),
  filter('provider=stub', 'Leave out provider.'),
  filter('limit=5', 'Leave out limit.'),
  filter('Limit=5', 'Leave out Limit.'),
  filter('filter[model]=stub', 'Leave out filter[model].'),
  filter('model[]=stub', 'Leave out model[].'),
  filter('tag=fast', 'Leave out tag.'),
  filter('free=true', 'Leave out free.'),
  filter('type=answer', 'In place of type, use category.'),
  filter('catgeory=answer', 'catgeory is no field: did you mean "category"?'),
  revalidation('sends nothing again that the caller has', 304, (etag) => etag),
  revalidation('recognizes its tag in a list, made weak', 304, (etag) => `"other", W/${etag}`),
  revalidation('recognizes any tag by a star', 304, () => '*'),
  revalidation('sends the list again when the caller has another', 200, () => '"other"'),
];

/** The callable models of each key. */
const CHOICE_CASES: readonly HttpCase[] = [
  row('suggests models for one it does not know', ask({ model: 'stub/flatt' }), unknownModel(['stub/flat'])),
  row('suggests nothing where nothing is near', ask({ model: 'something/entirely-different' }), unknownModel([])),
  {
    name: 'refuses a model that does not answer',
    request: ask({ model: 'stub/read' }),
    expect: badRequest('model_category_mismatch', {
      param: 'model',
      metadata: { category: 'extract', path: '/api/v1/extract' },
    }),
  },
  {
    name: 'refuses a model the key may not use',
    request: ask({}, { key: 'restricted' }),
    expect: refused(403, { type: 'permission_error', reason: 'model_not_allowed', param: 'model' }),
  },
];

export const MODEL_CASES: readonly HttpCase[] = [...LISTING_CASES, ...CHOICE_CASES];
