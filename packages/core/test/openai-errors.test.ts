import { chatCompletions, responses } from '@searchgate/dialects';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, memoryApiKeys, type Reason, toFetchHandler } from '../src/index.js';
import { KEY, OUTCOME, scripted, start } from './scripted-gateway.js';

/** The paths whose clients show the message of an error, and hide its `param`. */
const FORMS: Readonly<Record<string, (query: unknown) => object>> = {
  'chat/completions': (query) => ({ messages: [{ role: 'user', content: query }] }),
  responses: (query) => ({ input: query }),
};

const MODEL = 'exa/answer';
/** Every reason with a `param`, with a request that gets it. Fields that are `undefined` are left out. */
const ROWS: readonly (readonly [Reason, param: string, fields: object])[] = [
  ['invalid_field', 'search.country', { search: { country: 'XX' } }],
  ['invalid_field', 'model', { model: undefined }],
  ['unsupported_field', 'serach', { serach: { freshness: 'day' } }],
  ['unsupported_field', 'system', { system: 'Be brief.' }],
  ['unsupported_field', 'search_recency_filter', { search_recency_filter: 'day' }],
  ['unsupported_field', 'tools', { tools: [{ type: 'function' }] }],
  ['unsupported_option', 'search.freshness', { search: { freshness: 'day' } }],
  ['max_cost_exceeded', 'routing.max_cost', { routing: { max_cost: '0.001' } }],
  ['model_not_found', 'model', { model: 'exa/other' }],
  ['model_not_found', 'routing.fallbacks', { routing: { fallbacks: ['exa/other'] } }],
  ['model_not_allowed', 'model', { model: 'tavily/answer' }],
  ['model_category_mismatch', 'model', { model: 'exa/auto' }],
];

let gateway: Gateway;
beforeAll(() => {
  const secret = { apiKey: KEY, id: 'ci', label: 'ci', organizationId: 'acme', allowedModels: [MODEL, 'exa/auto'] };
  ({ gateway } = start([scripted('exa', [OUTCOME]).provider, scripted('tavily', [OUTCOME]).provider], {
    apiKeys: memoryApiKeys([secret]),
    endpoints: { chatCompletions: chatCompletions(), responses: responses() },
  }));
});
afterAll(() => gateway.close());

const TURNS = ['user', 'assistant', 'user'].map((role) => ({ role, content: 'When?' }));

describe.each(Object.entries(FORMS))('the message of an error of %s', (path, form) => {
  it.each(ROWS)('of the reason %s names %s, for %j', async (reason, param, fields) => {
    const request = new Request(`http://gateway.test/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, ...form('When did it open?'), ...fields }),
    });
    const response = await toFetchHandler(gateway)(request);
    const { error } = (await response.json()) as { error: { code: string; param: string; message: string } };
    expect(error).toMatchObject({ code: reason, param });
    expect(error.message).toContain(` ${param}`);
  });

  it('names the field of the caller for a conversation that the model does not take', async () => {
    const field = path === 'responses' ? 'input' : 'messages';
    const request = new Request(`http://gateway.test/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: MODEL, [field]: TURNS }),
    });
    const { error } = (await (await toFetchHandler(gateway)(request)).json()) as { error: object };
    expect(error).toMatchObject({ code: 'unsupported_option', param: field });
  });
});
