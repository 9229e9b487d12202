import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chatCompletions, responses } from '@searchgate/dialects';
import { describe, expect, it } from 'vitest';
import { CALLS, everyPort } from '../../testing/test/every-port.js';
import type { JsonSchema } from '../src/base/options/read-request-options.js';
import type { Extension } from '../src/http/extension.js';
import { type OpenApiDocument, openApiDocument } from '../src/http/openapi/open-api-document.js';
import {
  createGateway,
  type GatewayOptions,
  memoryApiKeys,
  memoryLedger,
  REASONS,
  type RequestFinished,
  toFetchHandler,
} from '../src/index.js';
import { exa } from '../src/providers/index.js';
import { KEY, start } from './scripted-gateway.js';

const apiKey = 'a-secret-key-of-the-tests';
const mcp: Extension = {
  name: 'mcp',
  path: '/api/v1/mcp',
  respond: () => Promise.resolve({ status: 202, body: null }),
};

function setUp(options: Partial<GatewayOptions<Request>> = {}) {
  const finished: RequestFinished[] = [];
  const gateway = createGateway<Request>({
    providers: [exa({ apiKey: 'a-key-of-exa' })],
    ledger: memoryLedger(),
    apiKeys: memoryApiKeys([{ apiKey, label: 'demo', organizationId: 'acme' }]),
    ...options,
    onEvent: (event) => {
      if (event.type === 'request_finished') finished.push(event);
    },
  });
  const handle = toFetchHandler(gateway);
  return {
    gateway,
    finished,
    get: (headers: Record<string, string> = {}, method = 'GET') =>
      handle(new Request('http://localhost/api/v1/openapi.json', { method, headers })),
  };
}

const withKey = { authorization: `Bearer ${apiKey}` };

describe('GET /openapi.json', () => {
  it.each([[{}], [{ endpoints: {} }], [{ endpoints: { openapi: false } }]])(
    'is the host\u2019s own with %j',
    async (options) => {
      const { get, finished } = setUp(options);
      const response = await get(withKey);
      expect([response.status, response.headers.get('x-request-id')]).toEqual([404, null]);
      expect(finished).toEqual([]);
    },
  );

  it('is public with true, and its event names no key', async () => {
    const { get, gateway, finished } = setUp({ endpoints: { openapi: true } });
    const response = await get({ authorization: 'Bearer whatever' });
    expect(response.status).toBe(200);
    const endpoints = { openapi: true, rerank: false, embeddings: false };
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument({ endpoints }))));
    await gateway.close();
    expect(finished).toMatchObject([
      { endpoint: 'openapi', status: 200, reason: null, keyId: null, organizationId: null },
    ]);
  });

  it('is for callers with a key with "key"', async () => {
    const { get, gateway, finished } = setUp({ endpoints: { openapi: 'key' } });
    const refused = await get();
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: { reason: 'missing_api_key' } }]);
    const response = await get(withKey);
    expect(response.status).toBe(200);
    const { paths } = (await response.json()) as OpenApiDocument;
    expect(paths['/api/v1/openapi.json']?.['get']).not.toHaveProperty('security');
    await gateway.close();
    expect(finished.map(({ endpoint, organizationId }) => [endpoint, organizationId])).toEqual([
      ['openapi', null],
      ['openapi', 'acme'],
    ]);
  });

  it('answers HEAD without a body, 304 for a matching ETag, and 405 to other methods', async () => {
    const { get } = setUp({ endpoints: { openapi: true } });
    const head = await get({}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10_000);
    expect((await get({ 'if-none-match': head.headers.get('etag') ?? '' })).status).toBe(304);
    const post = await get({}, 'POST');
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('is refused, like everything else, while the gateway closes', async () => {
    const { get, gateway } = setUp({ endpoints: { openapi: true } });
    await gateway.close();
    expect((await get()).status).toBe(503);
  });

  it('describes this gateway: its longest query, its endpoints, and that the host authenticates', async () => {
    const { gateway, get } = setUp({
      endpoints: { openapi: true, chatCompletions: chatCompletions(), responses: responses(), mcp },
      maxQueryCharacters: 1_234,
      apiKeys: undefined,
      authenticate: () => null,
    });
    const text = await (await get()).text();
    await gateway.close();
    const { paths, security } = JSON.parse(text) as OpenApiDocument;
    expect(text).toContain('At most 1,234 characters');
    expect(Object.keys(paths)).toEqual([
      '/api/v1/answer',
      '/api/v1/search',
      '/api/v1/extract',
      '/api/v1/models',
      '/api/v1/models/{model}',
      '/api/v1/credits',
      '/api/v1/key',
      '/api/v1/openapi.json',
      '/api/v1/chat/completions',
      '/api/v1/responses',
      '/api/v1/mcp',
    ]);
    expect(security).toEqual([{ apiKey: [] }, {}]);
  });
});

describe('every path of the document', () => {
  const dialects = { chatCompletions: chatCompletions(), responses: responses(), mcp };
  const endpoints = { ...dialects, openapi: true, usage: true, asyncAnswers: true };
  const foreign: string[] = [...Object.values(dialects).map(({ path }) => path), '/api/v1/openapi.json'];
  const paths = Object.entries(openApiDocument({ endpoints }).paths).map(
    ([path, operations]) => [path.replace(/\{.*\}/, 'any'), Object.keys(operations)[0]?.toUpperCase() ?? ''] as const,
  );
  const handle = toFetchHandler(start([everyPort], { endpoints }).gateway);
  const send = (path: string, method: string, headers: Record<string, string> = {}) =>
    handle(new Request(`http://localhost${path}`, { method, headers: { ...withKey, ...headers } }));

  it.each(paths)('%s is served with and without a final slash, and with no second one', async (path, method) => {
    const served = await Promise.all(['', '/', '//'].map((slashes) => send(path + slashes, method)));
    expect(served.map(({ headers }) => headers.has('x-request-id'))).toEqual([true, true, false]);
  });

  it.each(paths)('%s refuses Tavily\u2019s own clients, unless it has the form of others', async (path, method) => {
    for (const source of ['tavily-js', 'Tavily-Python', 'proxy, tavily_js', 'other']) {
      const text = await (await send(path, method, { 'x-client-source': source })).text();
      const isRefused = /"reason":"unsupported_field".*Tavily.*"param":"X-Client-Source"/.test(text);
      expect([path, source, isRefused]).toEqual([path, source, source !== 'other' && !foreign.includes(path)]);
    }
  });
});

it('an extension at / serves no other path', async () => {
  const handle = toFetchHandler(start([everyPort], { endpoints: { mcp: { ...mcp, path: '/' } } }).gateway);
  const sent = ['/', '/other', '/api/v1/other'].map((path) => handle(new Request(`http://localhost${path}`)));
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([405, 404, 404]);
});

it.each(Object.entries(CALLS))('a call of Tavily\u2019s client at %s is not charged', async (name, fields) => {
  const { gateway, totals } = start([everyPort]);
  const init = { method: 'POST', body: JSON.stringify(fields) };
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const send = (more: object) =>
    toFetchHandler(gateway)(
      new Request(`http://localhost/api/v1/${name}`, { ...init, headers: { ...headers, ...more } }),
    );
  expect([(await send({ 'X-Client-Source': 'TAVILY-js' })).status, (await totals()).usage]).toEqual([400, 0n]);
  expect([(await send({})).status, (await totals()).usage]).toEqual([200, 1_000_000n]);
  await gateway.close();
});

describe('openApiDocument', () => {
  it('has only ten paths without optional endpoints, and the given server', () => {
    const { paths, servers } = openApiDocument({ server: 'https://api.example.com/search' });
    expect(Object.keys(paths)).toEqual([
      '/api/v1/answer',
      '/api/v1/search',
      '/api/v1/extract',
      '/api/v1/rerank',
      '/api/v2/rerank',
      '/api/v1/embeddings',
      '/api/v1/models',
      '/api/v1/models/{model}',
      '/api/v1/credits',
      '/api/v1/key',
    ]);
    expect(servers).toMatchObject([{ url: 'https://api.example.com/search' }]);
  });

  it.each([
    ['search', '/api/v1/search', 'SearchRequest', 'Search'],
    ['extract', '/api/v1/extract', 'ExtractRequest', 'Extract'],
    ['rerank', '/api/v1/rerank', 'RerankRequest', 'Rerank'],
    ['embeddings', '/api/v1/embeddings', 'EmbeddingsRequest', 'Embeddings'],
  ] as const)('has nothing of the path of %s where the host has taken it', (name, path, request, reply) => {
    const partsOf = ({ paths, components: { schemas = {} } }: OpenApiDocument) =>
      [path in paths, request in schemas, reply in schemas] as const;
    expect(partsOf(openApiDocument())).toEqual([true, true, true]);
    expect(partsOf(openApiDocument({ endpoints: { [name]: false } }))).toEqual([false, false, false]);
  });

  it('lets requests leave out the model where the path has a default one', () => {
    const requiredBy = (endpoints: GatewayOptions['endpoints']) => {
      const { schemas = {} } = openApiDocument({ endpoints }).components;
      return (schemas['RerankRequest'] as JsonSchema)['required'];
    };
    expect(requiredBy({})).toEqual(['model', 'query', 'documents']);
    expect(requiredBy({ rerank: { defaultModel: 'cohere/rerank-v4.0-pro' } })).toEqual(['query', 'documents']);
  });

  it('includes an extension’s description of its path', () => {
    const described = { operationId: 'useTools', responses: { 202: { description: 'Taken.' } } };
    const { paths } = openApiDocument({ endpoints: { mcp: { ...mcp, describe: () => described } } });
    expect(paths['/api/v1/mcp']).toEqual({ post: described });
  });

  it('describes every reason under its status', () => {
    const { paths } = openApiDocument({ endpoints: { usage: true } });
    const operations = Object.values(paths).flatMap((ofPath) =>
      Object.values(ofPath).map((operation) => JSON.stringify(operation)),
    );
    const name = (reason: string) => `\`${reason}\`: `;
    const missing = Object.keys(REASONS).filter((reason) => !operations.some((text) => text.includes(name(reason))));
    expect(missing).toEqual([
      'origin_not_allowed',
      'key_not_allowed_in_path',
      'answer_lost',
      'answer_too_large',
      'client_closed_request',
    ]);
  });

  it('is loaded on demand: other parts import at most types of it and its schemas', () => {
    const src = join(import.meta.dirname, '..', 'src');
    const schemas = /(?:success-bodies|error-envelope)/;
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('http/openapi/') && !schemas.test(file),
    );
    const loaded = new RegExp(
      String.raw`^(?:import|export) (?!type )[^;]*from '[./\w-]+/(?:openapi/[\w-]+|${schemas.source}\.js)`,
      'm',
    );
    const importing = files.filter((file) => loaded.test(readFileSync(join(src, file), 'utf8')));
    expect(importing).toEqual([]);
    expect(files.length).toBeGreaterThan(100);
  });
});
