import { Client as SecondClient, StreamableHTTPClientTransport as SecondTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createFakeClock } from '@searchgate/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { HOSTS, type Mounted, post } from './hosts.js';
import { KEY, MARKED, MODEL, startGateway, type TestGateway } from './mounted-gateway.js';

const MODERN = '2026-07-28';
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const META = { [VERSION]: MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
const AUTHORIZED = { authorization: `Bearer ${KEY}` };
const SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'searchgate', title: 'Searchgate' } };

/** The part of a client that both generations of the official SDK have. */
interface AnyClient {
  /** The versions of the requests that it has sent. */
  readonly versions: ReadonlySet<string | null>;
  /** The types of the responses to calls of tools. */
  readonly contentTypes: readonly (string | null)[];
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(args: object, onprogress?: (progress: { readonly progress: number }) => void): Promise<unknown>;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };
const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

type Connect = (to: Mounted) => Promise<AnyClient>;

/** Every client, pinned to every version that it can speak; `auto` finds the newest one by itself. */
const CLIENTS: readonly [generation: string, pin: string, version: string, connect: Connect][] = [
  ...LEGACY.map((version): Pinned => ['first', version, version, (to) => first(to, version)]),
  ...LEGACY.map((version): Pinned => ['second', version, version, (to) => second(to, version)]),
  ['second', '2026-07-28', '2026-07-28', (to) => second(to, '2026-07-28')],
  ['second', 'auto', '2026-07-28', (to) => second(to, 'auto')],
];
type Pinned = (typeof CLIENTS)[number];

/** The first generation always offers its newest version, so its `initialize` is rewritten on the way. */
async function first(to: Mounted, version: string): Promise<AnyClient> {
  const { watch, at } = watched(to, (body) =>
    body['method'] === 'initialize'
      ? { ...body, params: { ...(body['params'] as object), protocolVersion: version } }
      : body,
  );
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(...at));
  const call: AnyClient['callTool'] = (args, onprogress) =>
    client.callTool({ name: 'search_answer', arguments: { ...args } }, undefined, onprogress && { onprogress });
  return { ...watch, listTools: () => client.listTools(), callTool: call, close: () => client.close() };
}

/** The second generation is pinned by its options. */
async function second(to: Mounted, version: string): Promise<AnyClient> {
  const { watch, at } = watched(to, (body) => body);
  const options = LEGACY.includes(version)
    ? { supportedProtocolVersions: [version] }
    : { versionNegotiation: { mode: version === 'auto' ? ('auto' as const) : { pin: version } } };
  const client = new SecondClient(INFO, options);
  await client.connect(new SecondTransport(...at));
  const call: AnyClient['callTool'] = (args, onprogress) =>
    client.callTool({ name: 'search_answer', arguments: { ...args } }, onprogress && { onprogress });
  return { ...watch, listTools: () => client.listTools(), callTool: call, close: () => client.close() };
}

/** The address of a transport, and a `fetch` that notes what is sent. */
function watched({ url, fetch: send }: Mounted, rewrite: (body: Record<string, unknown>) => object) {
  const versions = new Set<string | null>();
  const contentTypes: (string | null)[] = [];
  const noting: typeof fetch = async (input, init) => {
    if (typeof init?.body !== 'string') return send(input, init);
    const body = JSON.parse(init.body) as Record<string, unknown>;
    if (body['method'] !== 'initialize') versions.add(new Headers(init.headers).get('mcp-protocol-version'));
    const response = await send(input, { ...init, body: JSON.stringify(rewrite(body)) });
    if (body['method'] === 'tools/call') contentTypes.push(response.headers.get('content-type'));
    return response;
  };
  const options = { fetch: noting, requestInit: { headers: AUTHORIZED } };
  return { watch: { versions, contentTypes }, at: [new URL(`${url}/api/v1/mcp`), options] as const };
}

const clock = createFakeClock();
let running: TestGateway;
let mounted: Mounted;
afterEach(() => mounted.close());

async function start(host = 'Express', options: Parameters<typeof startGateway>[1] = {}): Promise<void> {
  running = startGateway({ clock }, options);
  mounted = await HOSTS[host]!(running.gateway);
}

function request(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

/** Sends a request of the newest version. An empty header is left out. */
function sendModern(method: string, params: object = {}, headers: Record<string, string> = {}) {
  const all = { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...headers };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return post(mounted, request(method, { _meta: META, ...params }), sent);
}

function events(text: string): unknown[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as unknown);
}

describe.each(CLIENTS)('a client of the %s generation, pinned to %s,', (_generation, _pin, version, connect) => {
  it.each(Object.keys(HOSTS))('lists the tools and gets an answer, at %s', async (host) => {
    await start(host);
    const client = await connect(mounted);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['search_answer', 'list_models']);
    expect(await client.callTool({ query: 'How much leave?', model: MODEL })).toMatchObject({
      content: [{ type: 'text', text: MARKED.text }],
      structuredContent: { answer: MARKED.answer, citations: [MARKED.citation], model: MODEL, cost: 0.01 },
    });
    expect([...client.versions]).toEqual([version]);
    expect(client.contentTypes).toEqual(['application/json; charset=utf-8']);
    await client.close();
  });

  it.each(['Express', 'a fetch handler'])('hears of the progress at once and every 5 seconds, at %s', async (host) => {
    await start(host);
    const client = await connect(mounted);
    const heard: number[] = [];
    let hears = (): void => undefined;
    const next = () => new Promise<void>((resolve) => (hears = resolve));
    let heardNext = next();
    const called = client.callTool({ query: 'wait', model: MODEL }, ({ progress }) => {
      heard.push(progress);
      hears();
    });
    for (let seconds = 5; seconds <= 15; seconds += 5) {
      await heardNext;
      heardNext = next();
      await clock.advance(5_000);
    }
    await heardNext;
    running.release();
    expect(await called).toMatchObject({ structuredContent: { answer: MARKED.answer, cost: 0.01 } });
    expect(heard).toEqual([0, 5, 10, 15]);
    expect(client.contentTypes).toEqual(['text/event-stream; charset=utf-8']);
    await client.close();
  });
});

it('an unknown version gets an error with the supported ones', async () => {
  await start();
  const { status, json } = await post(mounted, request('tools/list', { _meta: { ...META, [VERSION]: '2099-01-01' } }), {
    'mcp-protocol-version': '2099-01-01',
    'mcp-method': 'tools/list',
  });
  expect(status).toBe(400);
  expect(json).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32_022,
      message: 'Unsupported protocol version',
      data: { supported: [MODERN, ...LEGACY], requested: '2099-01-01' },
    },
  });
});

describe(`a request of version ${MODERN}`, () => {
  it('discovers the server', async () => {
    await start();
    const { status, json } = await sendModern('server/discover');
    expect(status).toBe(200);
    expect(json).toMatchObject({
      result: {
        resultType: 'complete',
        supportedVersions: [MODERN, ...LEGACY],
        capabilities: { tools: {} },
        instructions: expect.any(String),
        ttlMs: 3_600_000,
        cacheScope: 'public',
        _meta: SERVER,
      },
    });
  });

  it('gets results with their type, the name of the server, and how long a list may be kept', async () => {
    await start();
    const listed = { resultType: 'complete', ttlMs: 3_600_000, cacheScope: 'public', _meta: SERVER };
    expect((await sendModern('tools/list')).json).toMatchObject({ result: listed });
    const params = { name: 'search_answer', arguments: { query: 'Q', model: 'x' } };
    const refused = await sendModern('tools/call', params, { 'mcp-name': 'search_answer' });
    expect(refused.json).toMatchObject({
      result: { resultType: 'complete', isError: true, _meta: { ...SERVER, 'searchgate/error': { code: 404 } } },
    });
  });

  it.each<[string, string, object, Record<string, string>, number, number]>([
    ['no header of the version', 'tools/list', {}, { 'mcp-protocol-version': '' }, 400, -32_020],
    ['a header of another version', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32_020],
    ['a header of another method', 'tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32_020],
    ['no header of the tool', 'tools/call', { name: 'list_models' }, {}, 400, -32_020],
    ['a header of another tool', 'tools/call', { name: 'list_models' }, { 'mcp-name': 'search' }, 400, -32_020],
    ['a version that is no text', 'tools/list', { _meta: { ...META, [VERSION]: 7 } }, {}, 400, -32_602],
    ['no capabilities', 'tools/list', { _meta: { [VERSION]: MODERN } }, {}, 400, -32_602],
    ['the version in its header only', 'tools/list', { _meta: {} }, {}, 400, -32_602],
    ['a method of older versions', 'ping', {}, {}, 404, -32_601],
    ['the handshake of older versions', 'initialize', {}, {}, 404, -32_601],
    ['an unknown tool', 'tools/call', { name: 'none' }, { 'mcp-name': 'none' }, 200, -32_602],
  ])('with %s is refused', async (_what, method, params, headers, status, code) => {
    await start();
    expect(await sendModern(method, params, headers)).toMatchObject({ status, json: { id: 1, error: { code } } });
  });

  it('may name a tool in Base64', async () => {
    await start();
    const name = 'list_models';
    const { json } = await sendModern('tools/call', { name }, { 'mcp-name': `=?base64?${btoa(name)}?=` });
    expect(json).toMatchObject({ result: { structuredContent: { models: [{ id: MODEL }] } } });
  });

  it('may be a notification', async () => {
    await start();
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect(await post(mounted, message, { 'mcp-protocol-version': MODERN })).toMatchObject({ status: 202, text: '' });
    expect(await post(mounted, message, { 'mcp-protocol-version': '2099-01-01' })).toMatchObject({ status: 400 });
  });
});

describe('a call with a progress token', () => {
  const params = { name: 'search_answer', arguments: { query: 'Q', model: MODEL }, _meta: { progressToken: 7 } };

  it('is answered as JSON if the client takes no stream', async () => {
    await start();
    const { headers, json } = await post(mounted, request('tools/call', params), { accept: 'application/json' });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toMatchObject({ id: 1, result: { structuredContent: { answer: MARKED.answer } } });
  });

  it('that is too long is answered as JSON', async () => {
    await start();
    const response = await stream({ ...params, _meta: { progressToken: 'x'.repeat(257) } });
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { answer: MARKED.answer } } });
  });

  it('of an unknown tool is told so in the stream', async () => {
    await start();
    const response = await stream({ ...params, name: 'none' });
    expect(events(await response.text())).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 7, progress: 0 } },
      { id: 1, error: { code: -32_602 } },
    ]);
  });

  it('is refused by the gateway in the stream', async () => {
    await start('Express', { limit: '0.001' });
    const response = await stream(params);
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(events(await response.text())).toMatchObject([
      { method: 'notifications/progress' },
      { id: 1, result: { isError: true, _meta: { 'searchgate/error': { reason: 'key_limit_reached' } } } },
    ]);
  });

  it('is finished and charged when the caller has gone away', async () => {
    await start();
    const caller = new AbortController();
    const response = await stream({ ...params, arguments: { query: 'wait', model: MODEL } }, caller.signal);
    await response.body?.getReader().read();
    caller.abort();
    running.release();
    await running.gateway.close();
    expect(running.asked).toHaveLength(1);
    const finished = { type: 'request_finished', endpoint: 'mcp', cost: 10_000_000n };
    expect(running.events).toContainEqual(expect.objectContaining(finished));
  });

  function stream(sent: object, signal: AbortSignal | null = null): Promise<Response> {
    return mounted.fetch(`${mounted.url}/api/v1/mcp`, {
      method: 'POST',
      headers: { ...AUTHORIZED, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify(request('tools/call', sent)),
      signal,
    });
  }
});

describe('a page in a browser', () => {
  it.each([
    ['of the own host', 'own', 200],
    ['of a listed origin', 'https://chat.example.com', 200],
    ['of another origin', 'https://evil.example', 403],
  ])('%s may call or not', async (_what, given, status) => {
    await start('Express', { origins: ['https://chat.example.com'] });
    const origin = given === 'own' ? new URL(mounted.url).origin : given;
    const response = await post(mounted, request('tools/list'), { origin });
    expect(response.status).toBe(status);
    const error = { code: -32_000, data: { reason: 'origin_not_allowed', code: 403 } };
    expect(response.json).toMatchObject(status === 200 ? { result: {} } : { id: null, error });
  });

  it('of another origin is refused before its key is read', async () => {
    await start();
    const response = await post(mounted, request('tools/list'), { origin: 'https://evil.example', authorization: '' });
    expect(response.status).toBe(403);
  });
});
