import { inspect } from 'node:util';
import {
  createGateway,
  type GatewayOptions,
  type GatewayRequest,
  memoryApiKeys,
  memoryLedger,
  type RequestFinished,
} from '@searchgate/core';
import type { Tracer } from '@searchgate/core/extensions';
import { memoryRequestLog } from '@searchgate/core/ledger';
import { openApiDocument } from '@searchgate/core/openapi';
import { UpstreamError } from '@searchgate/core/provider-kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { searxng } from '../src/index.js';
import { retrievalProvider } from './retrieval-provider.js';

/** With characters that an address has to encode. */
const KEY = 'sk-planted/0123456789+abcdef%41';
const OTHER = 'sk-of-another-0123456789';
const IN_PATH = encodeURIComponent(KEY);
const BOUND = { limit: '1.00', allowedModels: ['house/search'] };
const TEMPLATE = '/api/v1/searxng/{key}/search';
const at = (segment: string) => `/api/v1/searxng/${segment}/search`;

const TEXTS = {
  invalid_api_key: 'The API key is not known.',
  malformed_authorization:
    'The Authorization header is not of the form "Bearer <API_KEY>". A key in the path counts as this header. Send one key, of printable ASCII characters.',
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway with two keys, and what it charges, shows and passes on. */
function start({ keyInPath = true, limits = BOUND, fail = () => undefined, ...options }: Setup = {}) {
  const ledger = memoryLedger({ credits: { acme: '100' } });
  const own = { label: 'a', organizationId: 'acme', ...limits };
  const apiKeys = memoryApiKeys([KEY, OTHER].map((apiKey, index) => ({ ...own, apiKey, id: `key-${index}` })));
  const shown: unknown[] = [];
  const show = (...values: unknown[]) => void shown.push(...values);
  const span = { run: (work: () => void) => work(), end: show };
  const tracer: Tracer = {
    startRequest: (begun) => (show(begun), { ...span, startAttempt: (tried) => (show(tried), span) }),
  };
  const gateway = createGateway({
    providers: [retrievalProvider(fail)],
    ledger,
    apiKeys: options.authenticate === undefined ? apiKeys : undefined,
    endpoints: { searxng: searxng({ search: 'house/search', keyInPath }), openapi: true },
    requestLog: { log: memoryRequestLog() },
    maxAttempts: 1,
    logger: { warn: show, error: show },
    onEvent: show,
    tracer,
    ...options,
  });
  onTestFinished(() => gateway.close());

  async function ask({ method = 'GET', path = at(IN_PATH), query = 'q=Zephyr', headers = {} }: Sent = {}) {
    const request: GatewayRequest = {
      method,
      path,
      query,
      header: (name) => headers[name],
      readBody: () => Promise.reject(new Error('no body')),
      disconnected: false,
      clientAddress: '192.0.2.1',
    };
    const response = await gateway.handle(request);
    show(response);
    const body =
      typeof response?.body === 'string' ? (JSON.parse(response.body) as Record<string, unknown>) : undefined;
    return { status: response?.status, code: body?.['code'], error: body?.['error'], body };
  }
  const spent = async () => (await ledger.organizationTotals('acme')).usage;
  return { gateway, ask, spent, shown, show };
}

interface Setup extends Partial<GatewayOptions> {
  readonly keyInPath?: boolean;
  readonly limits?: Partial<typeof BOUND>;
  readonly fail?: () => void;
}

const BEARER = { authorization: `Bearer ${KEY}` };

describe('a key in the path', () => {
  it.each<[string, Sent]>([
    ['by GET', {}],
    ['by POST', { method: 'POST' }],
    ['encoded wholly', { path: at([...Buffer.from(KEY)].map((byte) => `%${byte.toString(16)}`).join('')) }],
    ['with a slash at the end of the path', { path: `${at(IN_PATH)}/` }],
    ['beside the same bearer key', { headers: { authorization: `bearer  ${KEY} ` } }],
    ['beside the same key in x-api-key', { headers: { 'x-api-key': KEY } }],
    ['in the header, as ever', { path: '/api/v1/searxng/search', headers: BEARER }],
  ])('is served %s, and charged once', async (_what, sent) => {
    const { ask, spent, shown } = start();
    expect((await ask(sent)).body).toMatchObject({ query: 'Zephyr', number_of_results: 1, cost: 0.005 });
    expect(await spent()).toBe(5_000_000n);
    const event = { type: 'request_finished', endpoint: 'searxng_search', keyId: 'key-0', status: 200 };
    await expect.poll(() => shown).toContainEqual(expect.objectContaining(event));
  });

  it.each([
    ['a limit', { allowedModels: BOUND.allowedModels }],
    ['allowed models', { limit: BOUND.limit }],
    ['both', {}],
  ])('is refused without %s, and served in the header', async (_what, limits) => {
    const { ask, spent } = start({ limits: { limit: null, ...limits } as never });
    const { status, code, error } = await ask();
    expect([status, code, await spent()]).toEqual([403, 'key_not_allowed_in_path', 0n]);
    expect(error).toContain('Only API keys with a limit and allowed models may be sent in a path.');
    expect(await ask({ path: '/api/v1/searxng/search', headers: BEARER })).toMatchObject({ status: 200 });
  });

  it.each<[string, Sent, keyof typeof TEXTS]>([
    ['no key', { path: at('') }, 'malformed_authorization'],
    ['a space', { path: at('%20') }, 'malformed_authorization'],
    ['a line break', { path: at(`${IN_PATH}%0A`) }, 'malformed_authorization'],
    ['a letter beyond ASCII', { path: at(`${IN_PATH}%C3%BC`) }, 'malformed_authorization'],
    ['10,000 characters', { path: at('a'.repeat(10_000)) }, 'malformed_authorization'],
    ['another bearer key', { headers: { authorization: `Bearer ${OTHER}` } }, 'malformed_authorization'],
    ['another key in x-api-key', { headers: { 'x-api-key': OTHER } }, 'malformed_authorization'],
    ['no key, and one in the header', { path: at(''), headers: BEARER }, 'malformed_authorization'],
    ['another scheme', { headers: { authorization: 'Basic YTpi' } }, 'malformed_authorization'],
    ['a wrong key', { path: at(OTHER.toUpperCase()) }, 'invalid_api_key'],
    ['a key encoded twice', { path: at(encodeURIComponent(IN_PATH)) }, 'invalid_api_key'],
    ['a broken encoding', { path: at('%zz') }, 'invalid_api_key'],
    ['the place of the key itself', { path: at('%7Bkey%7D') }, 'invalid_api_key'],
  ])('is refused with %s', async (_what, sent, reason) => {
    const { ask, spent } = start();
    const { status, code, error } = await ask(sent);
    expect([status, code, error, await spent()]).toEqual([401, reason, TEXTS[reason], 0n]);
  });

  const ofHost = [at(IN_PATH), at(''), at(`${IN_PATH}/a`), `/api/v1/searxng/${IN_PATH}`];
  it.each(ofHost)('is a path of the host where it is off, as are longer and shorter ones: %s', async (path) => {
    const { ask, shown } = start({ keyInPath: path !== at(IN_PATH) && path !== at('') });
    expect(await ask({ path, headers: BEARER })).toMatchObject({ status: undefined });
    expect(shown).toEqual([undefined]);
  });

  it('counts as a failed authentication as a wrong bearer key does', async () => {
    const wrong = { path: at('sk-wrong-0123456789abcdef') };
    const header = { path: '/api/v1/searxng/search', headers: { authorization: 'Bearer sk-wrong' } };
    const { ask } = start({ authFailureLimit: 3 });
    const seen = [];
    for (const sent of [wrong, header, { path: at('%20') }, wrong, header]) seen.push((await ask(sent)).status);
    expect(seen).toEqual([401, 401, 401, 429, 429]);
    expect(await ask()).toMatchObject({ status: 200 });
  });
});

const AT_HEADERS = { phase: 'headers', status: 500 } as const;
function failWith(error: Error): never {
  throw error;
}

/** What may go wrong, and how a caller learns of it. */
const SITUATIONS: readonly [string, Setup, Sent, number][] = [
  ['a success', {}, {}, 200],
  ['a wrong field', {}, { query: 'q=' }, 400],
  ['an unknown field', {}, { query: `q=a&kye=1` }, 200],
  ['a wrong method', {}, { method: 'PUT' }, 405],
  ['a key without limits', { limits: { limit: null, allowedModels: null } as never }, {}, 403],
  ['two keys', {}, { headers: { 'x-api-key': OTHER } }, 401],
  ['a key that is unknown', { apiKeys: memoryApiKeys([]) }, {}, 401],
  ['a malformed key', {}, { path: at(`${IN_PATH}%0A`) }, 401],
  ['too many failures', { apiKeys: memoryApiKeys([]), authFailureLimit: 1 }, {}, 429],
  ['a key store that fails', { apiKeys: { findByHash: () => Promise.reject(new Error('down')) } }, {}, 503],
  ['a key store that gives nonsense', { apiKeys: { findByHash: () => Promise.resolve(7 as never) } }, {}, 500],
  ['a hook that tells the path', { authenticate: (_token, { path }) => Promise.reject(new Error(path)) }, {}, 500],
  ['an address that cannot be read', { clientAddress: ({ path }) => failWith(new Error(path)) }, {}, 200],
  ['a provider that fails', { fail: () => failWith(new UpstreamError('upstream_error', AT_HEADERS)) }, {}, 502],
  ['a provider with a bug', { fail: () => failWith(new TypeError('a bug')) }, {}, 502],
];

it.each(SITUATIONS)('the key is seen nowhere after %s', async (_what, options, sent, status) => {
  const log = memoryRequestLog();
  const { gateway, ask, shown, show } = start({ ...options, requestLog: { log } });
  const statuses = [(await ask(sent)).status, (await ask(sent)).status];
  expect(statuses.at(-1)).toBe(status);
  await gateway.close();
  // Each is seen twice: by the listener and by the span.
  const events = shown.filter((each) => (each as RequestFinished | undefined)?.type === 'request_finished');
  expect(events).toHaveLength(4);
  // Of callers who are known.
  const { rows } = await log.find({}, { limit: 10 });
  expect(rows).toHaveLength(events.filter((event) => (event as RequestFinished).keyId !== null).length / 2);
  show(rows, await Promise.all(rows.map(({ requestId }) => log.get(requestId))));
  const text = inspect(shown, { depth: 20, maxArrayLength: null, maxStringLength: null, showHidden: true });
  for (const secret of [KEY, IN_PATH, 'planted', '0123456789']) expect(text).not.toContain(secret);
});

it('hooks and the description of the API see the place of the key', async () => {
  const seen: unknown[] = [];
  const { ask } = start({
    authFailureLimit: 9,
    clientAddress: ({ path }) => (seen.push(path), '192.0.2.1'),
    authenticate: (token, { path, header }) => {
      seen.push(token, path, header('authorization'));
      return { id: 'key', organizationId: 'acme', ...BOUND };
    },
  });
  expect(await ask()).toMatchObject({ status: 200 });
  expect(seen).toEqual([TEMPLATE, KEY, TEMPLATE, `Bearer ${KEY}`]);
  const { paths } = openApiDocument({ endpoints: { searxng: searxng({ search: 'house/search', keyInPath: true }) } });
  const parameter = { name: 'key', in: 'path', required: true };
  expect(paths[TEMPLATE]).toMatchObject({
    get: {
      operationId: 'searxngSearchByKeyPath',
      security: [],
      parameters: expect.arrayContaining([expect.objectContaining(parameter)]) as unknown,
      responses: { 403: { description: expect.stringContaining('key_not_allowed_in_path') as string } },
    },
  });
  expect(paths['/api/v1/searxng/search']).not.toHaveProperty('get.security');
});
