import { openApiDocument } from '@searchgate/core/openapi';
import { chatCompletions, exa, firecrawl, responses, searxng, tavily } from '@searchgate/dialects';
import { mcp } from '@searchgate/mcp';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterEach, describe, expect, it } from 'vitest';
import { describedApi, eventsOf } from './described-api.js';
import { API_KEY, type MountedGateway, mountedGateway } from './mounted-gateway.js';

const models = { search: 'exa/auto', extract: 'exa/contents', answer: 'exa/answer' };
const everything = {
  openapi: true,
  chatCompletions: chatCompletions(),
  responses: responses(),
  tavily: tavily(models),
  exa: exa(models),
  firecrawl: firecrawl(models),
  searxng: searxng({ ...models, keyInPath: true }),
  mcp: mcp(),
} as const;
const document = openApiDocument({ endpoints: { openapi: 'key' } });
const api = describedApi(document);

/** All values of this name in the document, with their paths. */
function placesOf(name: string, value: unknown = document, path = ''): [path: string, found: unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return key === name && !path.endsWith('/properties') ? [[place, part]] : placesOf(name, part, place);
  });
}

/** Whether Python's `re` and RE2 write a pattern of ECMAScript alike: no lookaround, no class of Unicode, no reference back, no count above 1,000. */
function isPortable(pattern: string): boolean {
  const rest = pattern.replace(/\\(?:x[\da-f]{2}|[dDsSwW^$.*+?()[\]{}|\\/])|\(\?:/g, '');
  return new RegExp(pattern, 'u').source !== '' && !/\\|\(\?|\{\d*,?(?:\d{5}|[1-9]\d{3})/.test(rest);
}

describe('the document', () => {
  it.each([
    ['alone', document],
    ['with every extension', openApiDocument({ endpoints: everything })],
    [
      'with costs as objects',
      openApiDocument({ endpoints: { chatCompletions: chatCompletions({ usageCost: 'object' }) } }),
    ],
  ])('is valid OpenAPI 3.1 %s', async (_what, given) => {
    const validator = new Validator();
    expect(await validator.validate({ ...given })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  it('refers only to existing parts', () => {
    const refs = placesOf('$ref').map(([, ref]) => String(ref).split('/'));
    const missing = refs.filter(([, , kind = '', name = '']) => document.components[kind]?.[name] === undefined);
    expect(missing).toEqual([]);
    expect(refs.length).toBeGreaterThan(100);
  });

  it('has unique names of operations', () => {
    const ids = placesOf('operationId').map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has only patterns that readers of Python and of RE2 compile too', () => {
    const full = openApiDocument({ endpoints: { ...everything, usage: true, asyncAnswers: true } });
    const patterns = placesOf('pattern', full).map(([, pattern]) => String(pattern));
    expect(new Set(patterns).size).toBeGreaterThan(20);
    expect(patterns.filter((pattern) => !isPortable(pattern))).toEqual([]);
    const odd = ['(?=a)', '(?<!a)', '(?<a>a)', '\\p{L}', '\\u200c', '\\u{e0020}', '(a)\\1', 'a{1,1001}'];
    expect(odd.filter(isPortable)).toEqual([]);
  });

  it('has examples that match its schemas', () => {
    const ofSchemas = placesOf('examples').flatMap(([path, examples]) =>
      Array.isArray(examples) ? examples.map((example) => [path.replace(/\/examples$/, ''), example] as const) : [],
    );
    const ofRequests = placesOf('examples').flatMap(([path, examples]) =>
      Array.isArray(examples)
        ? []
        : Object.values(examples as Record<string, { value: unknown }>).map(
            ({ value }) => [path.replace(/\/examples$/, '/schema'), value] as const,
          ),
    );
    const others = placesOf('example').map(
      ([path, example]) => [path.replace(/\/example$/, '/schema'), example] as const,
    );
    const all = [...ofSchemas, ...ofRequests, ...others];
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(([pointer, example]) => api.schemas.faultsOf(pointer, example).length > 0)).toEqual([]);
  });

  it('has an example stream of described events', () => {
    const [stream] = placesOf('example').filter(([path]) => path.includes('event-stream'));
    const events = eventsOf(String(stream?.[1]));
    expect(events.map(({ event }) => event)).toEqual(['start', 'citations', 'delta', 'delta', 'done']);
    expect(events.flatMap((event) => api.schemas.faultsOf('/components/schemas/AnswerEvent', event))).toEqual([]);
  });
});

describe('the base URL in the document', () => {
  let gateway: MountedGateway | undefined;
  afterEach(() => gateway?.close());

  it.each([
    ['', ''],
    ['/search', ''],
    ['/search', '/'],
    ['/v2/search', ''],
  ])('leads to the gateway that is mounted at "%s", in a document with "%s" behind its path', async (prefix, slash) => {
    gateway = await mountedGateway(prefix, { openapi: true });
    const address = `${gateway.baseUrl}/api/v1/openapi.json${slash}`;
    const served = (await (await fetch(address)).json()) as typeof document;
    const base = new URL(served.servers[0]?.url ?? '', address).href.replace(/\/$/, '');
    expect(base).toBe(gateway.baseUrl);
    const response = await fetch(`${base}/api/v1/credits`, { headers: { authorization: `Bearer ${API_KEY}` } });
    expect(response.status).toBe(200);
  });
});

const ask = (fields: object) => ({ model: 'handbook/answer', query: 'When?', ...fields });
/** The names that the document forbids. */
const wordsOf = (count: number) => Array.from({ length: count }, (_, index) => `host-${index}.example.org`);

describe('the schema of a question and the gateway', () => {
  const RIGHT: readonly object[] = [
    { query: ' When? \n' },
    { include_citations: false },
    { stream: null },
    { search: null, routing: null },
    { search: {}, routing: {} },
    { search: { include_domains: ['example.org', 'Bücher.example', '例え.テスト'] } },
    { search: { exclude_domains: wordsOf(20), freshness: 'year', country: 'de', language: 'DE' } },
    { search: { published_after: '2024-02-29', published_before: '2024-02-29' } },
    { routing: { fallbacks: ['handbook/answer'], sort: 'latency', max_cost: '0.010' } },
    { routing: { max_cost: '1.000000000000000000000000000000' } },
    { cache: null, unknown: null, x_trace: [1] },
    { user: { id: 7 }, temperature: 1, top_p: 0.5, seed: 7, store: false, background: false },
    { messages: null, response_format: null },
    { query: undefined, messages: [{ role: 'user', content: 'When?' }] },
    { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' }, strict: true } } },
    { tool_choice: 'none', n: 1, logprobs: false, modalities: ['text'], response_format: { type: 'text' } },
  ];
  const WRONG: readonly object[] = [
    { model: 7 },
    { model: '' },
    { model: 'x'.repeat(257) },
    { query: '' },
    { query: ' \t' },
    { include_citations: 'yes' },
    { include_citations: null },
    { stream: 1 },
    { tool_choice: 'required' },
    { n: 2 },
    { response_format: { type: 'json_object' } },
    { response_format: { type: 'json_schema' } },
    { response_format: { type: 'json_schema', json_schema: { name: 'a b', schema: {} } } },
    { query: undefined },
    { messages: [{ role: 'user', content: 'When?' }] },
    { query: undefined, messages: [] },
    { query: undefined, messages: [{ role: 'system', content: 'When?' }] },
    { query: undefined, messages: [{ role: 'user', content: ' ' }] },
    { search: [] },
    { search: 'recent' },
    { search: { pages: 3 } },
    { search: { include_domains: [] } },
    { search: { include_domains: wordsOf(21) } },
    { search: { include_domains: ['https://example.org/'] } },
    { search: { include_domains: ['*.example.org'] } },
    { search: { include_domains: null } },
    { search: { include_domains: ['a.org'], exclude_domains: ['b.org'] } },
    { search: { freshness: 'hour' } },
    { search: { freshness: 'day', published_after: '2026-01-01' } },
    { search: { freshness: 'day', published_before: '2026-01-01' } },
    { search: { published_after: '2026-02-29' } },
    { search: { published_after: '22.11.2026' } },
    { search: { country: 'deu' } },
    { search: { language: 4 } },
    { routing: 'cheapest' },
    { routing: { order: [] } },
    { routing: { fallbacks: ['a/1', 'a/2', 'a/3', 'a/4', 'a/5'] } },
    { routing: { fallbacks: [''] } },
    { routing: { sort: 'listed' } },
    { routing: { max_cost: 0.01 } },
    { routing: { max_cost: '-1' } },
    { routing: { max_cost: '0.0000000001' } },
    { routing: { max_cost: '1e3' } },
    ...['include_domains', 'max_cost', 'system', 'max_tokens', 'idempotency_key', 'unknown'].map((field) => ({
      [field]: 'x',
    })),
    { store: true },
  ];

  it('accept and refuse the same questions', async () => {
    const gateway = await mountedGateway('', {});
    const isField = async (fields: object) => {
      const response = await fetch(`${gateway.baseUrl}/api/v1/answer`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(ask(fields)),
      });
      return !/"reason":"(?:invalid|unsupported)_field"/.test(await response.text());
    };
    const byGateway = await Promise.all([...RIGHT, ...WRONG].map(isField));
    const bySchema = [...RIGHT, ...WRONG].map(
      (fields) => api.schemas.faultsOf('/components/schemas/AnswerRequest', ask(fields)).length === 0,
    );
    await gateway.close();
    const expected = [...RIGHT.map(() => true), ...WRONG.map(() => false)];
    expect(byGateway).toEqual(expected);
    expect(bySchema).toEqual(expected);
  });
});
