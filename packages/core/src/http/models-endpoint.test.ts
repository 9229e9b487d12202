import { describe, expect, it } from 'vitest';
import { bodyText } from '../../test/body-text.js';
import type { ModelEntry } from '../catalog/model-entry.js';
import type { AuthenticatedCall } from '../request/handle-request-lifecycle.js';
import type { HandlerDeps } from './endpoint.js';
import type { GatewayRequest } from './gateway-request.js';
import { modelsEndpoint } from './models-endpoint.js';

const answerModel: ModelEntry = {
  id: 'exa/answer',
  createdMs: Date.UTC(2026, 10, 24),
  name: 'Exa Answer',
  category: 'answer',
  provider: 'exa',
  description: 'Cited answers — fast.',
  pricing: { unit: 'USD', request: '0.005' },
  searchTypes: null,
  features: ['citations'],
  policies: [],
  maxResults: null,
  includedResults: null,
  resultStep: null,
  dimensions: null,
  maxInputTokens: null,
  contextLength: null,
  retiresOn: null,
  replacement: null,
  verifiedAt: null,
  callable: true,
};
const dynamicModel: ModelEntry = {
  ...answerModel,
  id: 'perplexity/sonar',
  pricing: { unit: 'USD', request: '-1', perMillionInputTokens: '1', perMillionOutputTokens: '2', perSearch: '0.005' },
  contextLength: 128_000,
  retiresOn: '2027-12-01',
  replacement: 'exa/answer',
  verifiedAt: '2026-11-29',
};
const tokenModel: ModelEntry = {
  ...answerModel,
  pricing: { unit: 'USD', perMillionTokens: '0.02', perSearchUnit: '0.0025' },
  features: [],
  policies: ['zdr', 'eu'],
  dimensions: 1536,
};

function endpointOver(lists: Record<string, readonly ModelEntry[]>) {
  const asked: unknown[][] = [];
  const endpoint = modelsEndpoint({
    listModels: (...args: unknown[]) => {
      asked.push(args);
      return lists[String(args[1])] ?? [];
    },
  } as unknown as HandlerDeps);
  return {
    asked,
    async get(query = '', headers: Record<string, string> = {}, organizationId = 'acme') {
      const request = { method: 'GET', query, header: (name: string) => headers[name] } as GatewayRequest;
      const state = { context: { requestId: 'req_1' }, apiKey: { organizationId } } as AuthenticatedCall;
      return endpoint.respond({ request, reply: null, begin: () => undefined, stream: null }, state);
    },
  };
}

describe('modelsEndpoint', () => {
  it('prints the options of an answer model by the names that callers send', async () => {
    const { get } = endpointOver({ acme: [{ ...answerModel, options: ['includeDomains', 'freshness'] }] });
    expect(JSON.parse(bodyText(await get()))).toMatchObject({
      object: 'list',
      data: [{ created: 1_795_478_400, options: ['include_domains', 'freshness'] }],
    });
  });

  it('prints entries in the agreed form, null where a field does not apply, absent where a price does not', async () => {
    const { get } = endpointOver({ acme: [answerModel, dynamicModel, tokenModel] });
    const { body } = await get();
    expect(bodyText({ body })).toBe(
      '{"object":"list","data":[' +
        '{"id":"exa/answer","object":"model","created":1795478400,"owned_by":"exa","name":"Exa Answer","category":"answer","provider":"exa","description":"Cited answers — fast.",' +
        '"pricing":{"unit":"USD","request":"0.005"},"search_types":null,"features":["citations"],"policies":[],"max_results":null,"included_results":null,"result_step":null,' +
        '"dimensions":null,"max_input_tokens":null,"context_length":null,"retires_on":null,"replacement":null,"verified_at":null,"callable":true},' +
        '{"id":"perplexity/sonar","object":"model","created":1795478400,"owned_by":"exa","name":"Exa Answer","category":"answer","provider":"exa","description":"Cited answers — fast.",' +
        '"pricing":{"unit":"USD","request":"-1","per_1m_input_tokens":"1","per_1m_output_tokens":"2","per_search":"0.005"},' +
        '"search_types":null,"features":["citations"],"policies":[],"max_results":null,"included_results":null,"result_step":null,"dimensions":null,"max_input_tokens":null,"context_length":128000,"retires_on":"2027-12-01","replacement":"exa/answer","verified_at":"2026-11-29","callable":true},' +
        '{"id":"exa/answer","object":"model","created":1795478400,"owned_by":"exa","name":"Exa Answer","category":"answer","provider":"exa","description":"Cited answers — fast.",' +
        '"pricing":{"unit":"USD","per_1m_tokens":"0.02","per_search_unit":"0.0025"},"search_types":null,"features":[],"policies":["zdr","eu"],"max_results":null,"included_results":null,"result_step":null,' +
        '"dimensions":1536,"max_input_tokens":null,"context_length":null,"retires_on":null,"replacement":null,"verified_at":null,"callable":true}]}',
    );
  });

  it('serves the same bytes while the catalog returns the same list', async () => {
    const { get } = endpointOver({ acme: [answerModel], other: [dynamicModel] });
    const first = await get();
    const second = await get();
    expect(second.body).toBe(first.body);
    expect(second.headers['etag']).toBe(first.headers['etag']);
    const other = await get('', {}, 'other');
    expect(other.headers['etag']).not.toBe(first.headers['etag']);
  });

  it('asks the catalog for the category and the caller’s organization', async () => {
    const { get, asked } = endpointOver({});
    await get('category=rerank');
    await get('callable=true');
    await get();
    expect(asked).toEqual([
      [{ category: 'rerank' }, 'acme'],
      [{ callable: true }, 'acme'],
      [{}, 'acme'],
    ]);
  });

  it.each([
    ['the tag itself', (etag: string) => etag, 304],
    ['the tag made weak', (etag: string) => `W/${etag}`, 304],
    ['a list with the tag', (etag: string) => `"a,b", W/"x" ,${etag}`, 304],
    ['a star', () => '*', 304],
    ['another tag', () => '"nope"', 200],
    ['the tag without quotes', (etag: string) => etag.slice(1, -1), 200],
    ['nothing', () => '', 200],
  ])('compares If-None-Match with %s', async (_name, ifNoneMatch, status) => {
    const { get } = endpointOver({ acme: [answerModel] });
    const etag = (await get()).headers['etag'] ?? '';
    const response = await get('', { 'if-none-match': ifNoneMatch(etag) });
    expect(response).toMatchObject({ status, headers: { etag } });
  });

  it('sends a 304 without a body and without its headers', async () => {
    const { status, headers, body } = await endpointOver({ acme: [answerModel] }).get('', { 'if-none-match': '*' });
    expect({ status, body, names: Object.keys(headers).sort() }).toEqual({
      status: 304,
      body: null,
      names: ['cache-control', 'etag', 'x-content-type-options', 'x-request-id'],
    });
  });
});
