import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ApiKeyStore,
  type AuthenticatedRequest,
  type GatewayOptions,
  type MemoryApiKey,
  memoryApiKeys,
  toFetchHandler,
} from '../src/index.js';
import { handleNode } from '../src/node/index.js';
import { requestOf } from './ask-over-http.js';
import { KEY, OUTCOME, reasonOf, scripted, start as startGateway } from './scripted-gateway.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanups.splice(0)) await cleanUp();
});

const OTHER_KEY = 'another-secret-of-twenty';
const HERE = '192.0.2.1';

/** A gateway over a key store that counts its look-ups. */
function start(options: Partial<GatewayOptions> = {}) {
  const found: Pick<MemoryApiKey, 'label' | 'organizationId'> = { label: 'demo', organizationId: 'acme' };
  const keys = memoryApiKeys([KEY, OTHER_KEY].map((apiKey, index) => ({ ...found, apiKey, id: `key-${index}` })));
  const lookups: string[] = [];
  const apiKeys: ApiKeyStore = { findByHash: (hash) => (lookups.push(hash), keys.findByHash(hash)) };
  const authentication = options.authenticate === undefined ? { apiKeys } : { apiKeys: undefined };
  const parts = startGateway([scripted('exa', [OUTCOME]).provider], { ...authentication, ...options });
  cleanups.push(() => parts.gateway.close());

  /** Status and reason of a `GET /key`, called like an adapter. */
  async function ask(authorization: string | undefined, clientAddress: string | undefined = HERE) {
    const request = requestOf('key', { method: 'GET', headers: { authorization } });
    const response = await parts.gateway.handle({ ...request, clientAddress });
    const body = response?.body;
    const { error } = JSON.parse(typeof body === 'string' ? body : '') as { error?: { reason: string } };
    return { status: response?.status, reason: error?.reason, retryAfter: response?.headers['retry-after'] };
  }

  /** Calls with distinct wrong keys, in parallel. */
  const flood = (count: number, name = '') =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(`Bearer ${name.replace(' ', '-')}wrong-${index}`)));
  return { ...parts, keys, lookups, ask, flood };
}

const good = `Bearer ${KEY}`;
const LIMITED = { status: 429, reason: 'auth_rate_limited' };

describe('callers without a valid key', () => {
  it('get 429 beyond the limit, even in parallel', async () => {
    const { flood, clock, gateway, events } = start();
    const flooded = flood(1_000);
    await clock.advance(2_000);
    const answers = await flooded;
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(60);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(940);
    expect(answers.find(({ status }) => status === 429)).toEqual({ ...LIMITED, retryAfter: '1' });
    await gateway.close();
    expect(events.filter((event) => 'reason' in event && event.reason === 'auth_rate_limited')).toHaveLength(940);
  });

  it('cost no look-up beyond the limit without a key, or with a key known to be invalid', async () => {
    const { ask, lookups } = start({ authFailureLimit: 1 });
    for (let call = 0; call < 100; call += 1) {
      await ask('Bearer wrong');
      expect(await ask(undefined)).toMatchObject(LIMITED);
      expect(await ask('Bearer wrong')).toMatchObject(LIMITED);
    }
    expect(lookups).toHaveLength(1);
  });

  it('are counted whatever the fault of their key', async () => {
    const { ask, keys, clock } = start({ authFailureLimit: 4 });
    await keys.updateKey('key-0', { revokedAtMs: 0 });
    await keys.updateKey('key-1', { expiresAtMs: clock.now() });
    const wrong = [undefined, 'Basic YTpi', good, `Bearer ${OTHER_KEY}`];
    const reasons = [];
    for (const authorization of [...wrong, ...wrong]) reasons.push((await ask(authorization)).reason);
    const own = ['missing_api_key', 'malformed_authorization', 'revoked_api_key', 'expired_api_key'];
    expect(reasons).toEqual([...own, ...wrong.map(() => 'auth_rate_limited')]);
  });

  it('may try again as time goes by', async () => {
    const { ask, flood, clock } = start({ authFailureLimit: 2 });
    await flood(2);
    expect(await ask('Bearer wrong')).toEqual({ ...LIMITED, retryAfter: '30' });
    await clock.advance(30_000);
    expect(await ask('Bearer wrong')).toMatchObject({ status: 401 });
    expect(await ask('Bearer wrong')).toMatchObject(LIMITED);
  });

  it('are not limited in process, without an address, or with a limit of 0', async () => {
    const { gateway, ask } = start({ authFailureLimit: 1 });
    const unlimited = start({ authFailureLimit: 0 });
    for (let call = 0; call < 3; call += 1) {
      expect(await reasonOf(gateway.key({ apiKey: `wrong-${call}` }))).toBe('invalid_api_key');
      expect(await ask('Bearer wrong', '')).toMatchObject({ status: 401 });
      expect(await unlimited.ask('Bearer wrong')).toMatchObject({ status: 401 });
    }
  });
});

describe('a valid key at an address with failing callers', () => {
  it('is served, known to this process or not, whatever the failures at its address', async () => {
    const { ask, flood, clock } = start();
    expect(await ask(good)).toMatchObject({ status: 200 });
    for (let round = 0; round < 3; round += 1) {
      const flooded = flood(200);
      expect(await ask(good)).toMatchObject({ status: 200 });
      const unseen = ask(`Bearer ${OTHER_KEY}`);
      // Longer than the age of cached keys.
      await clock.advance(6_000);
      expect(await unseen).toMatchObject({ status: 200 });
      expect((await flooded).filter(({ status }) => status === 429).length).toBeGreaterThan(100);
    }
  });

  it.each([0, 5_000])('is served with keys cached for %d ms', async (keyCacheMaxAgeMs) => {
    const { ask, flood, clock } = start({ keyCacheMaxAgeMs });
    // 40 a second for ten seconds: each second all customers' keys are looked up, as after a reload.
    for (let second = 0; second < 10; second += 1) {
      const flooded = flood(40, `second ${second}`);
      const asked = [good, `Bearer ${OTHER_KEY}`].map((key) => ask(key));
      await clock.advance(1_000);
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
      await flooded;
    }
  });

  it('is looked up once more after it was revoked, and limited then', async () => {
    const { ask, flood, keys, clock } = start();
    await ask(good);
    await keys.updateKey('key-0', { revokedAtMs: 0 });
    const flooded = flood(100);
    await clock.advance(6_000);
    await flooded;
    expect(await ask(good)).toMatchObject({ status: 401, reason: 'revoked_api_key' });
    expect(await ask(good)).toMatchObject({ status: 401, reason: 'revoked_api_key' });
  });

  it('does not read the address once it is cached', async () => {
    let reads = 0;
    const { ask } = start({ clientAddress: () => ((reads += 1), HERE) });
    for (let call = 0; call < 5; call += 1) await ask(good);
    expect(reads).toBe(1);
  });
});

describe('the authenticate hook', () => {
  const authenticate = (token: string | null) => (token === KEY ? { id: 'ada', organizationId: 'acme' } : null);

  it('may name visitors without a session, whose failures limit no one', async () => {
    const { flood, ask } = start({ authenticate });
    expect(new Set((await flood(200)).map(({ reason }) => reason))).toEqual(new Set(['not_authenticated']));
    expect(await ask(good)).toMatchObject({ status: 200 });
  });

  it('serves valid callers beyond the host’s limit', async () => {
    const { ask, flood } = start({ authFailureLimit: 3, authenticate });
    const reasons = (await flood(10)).map(({ reason }) => reason);
    expect(reasons).toEqual([...Array(3).fill('not_authenticated'), ...Array(7).fill('auth_rate_limited')]);
    expect(await ask(good)).toMatchObject({ status: 200 });
  });

  it('does not count its own errors', async () => {
    const { ask } = start({
      authFailureLimit: 1,
      authenticate: () => {
        throw new Error('bug');
      },
    });
    for (let call = 0; call < 3; call += 1) expect(await ask(good)).toMatchObject({ status: 500 });
  });
});

describe('the address of a client', () => {
  const byHeader = ({ header }: AuthenticatedRequest) => header('cf-connecting-ip');
  const wrong = (headers: Record<string, string> = {}) => ({ headers: { authorization: 'Bearer wrong', ...headers } });

  it('is the socket’s address on node:http, whatever the headers', async () => {
    const { gateway } = start({ authFailureLimit: 1 });
    const server = createServer((req, res) => void handleNode(gateway, { req, res }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/key`;
    const first = await fetch(url, wrong({ 'x-forwarded-for': '192.0.2.1' }));
    const second = await fetch(url, wrong({ 'x-forwarded-for': '192.0.2.2' }));
    expect([first.status, second.status]).toEqual([401, 429]);
  });

  it('is unknown to fetch handlers unless the host gives it', async () => {
    const limit = { authFailureLimit: 1 };
    const plain = toFetchHandler(start(limit).gateway);
    const told = toFetchHandler(start({ ...limit, clientAddress: byHeader }).gateway);
    const request = (ip: string) => new Request('https://x.test/api/v1/key', wrong({ 'cf-connecting-ip': ip }));
    const statuses = async (handler: typeof plain) => {
      const ips = ['192.0.2.1', '192.0.2.1', '192.0.2.2'];
      return Promise.all(ips.map(async (ip) => (await handler(request(ip))).status));
    };
    expect(await statuses(plain)).toEqual([401, 401, 401]);
    expect(await statuses(told)).toEqual([401, 429, 401]);
  });

  it('is the proxy’s address if no proxy is trusted, with one warning', async () => {
    const { gateway, logged } = start();
    const server = createServer((req, res) => void handleNode(gateway, { req, res }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => server.close(resolve).closeAllConnections()));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/key`;
    await fetch(url, wrong());
    expect(logged).toEqual([]);
    // With a trusted proxy, the adapter takes an address from the header.
    await fetch(url, wrong({ 'x-forwarded-for': '192.0.2.1, 127.0.0.1' }));
    expect(logged).toEqual([]);
    for (let call = 0; call < 3; call += 1) await fetch(url, wrong({ 'x-forwarded-for': '192.0.2.1' }));
    expect(logged).toEqual([expect.stringContaining('no proxy is trusted')]);
  });

  it('is the address that the host gives, in every adapter', async () => {
    const { ask } = start({ authFailureLimit: 1, clientAddress: () => '198.51.100.7' });
    expect(await ask('Bearer wrong', '192.0.2.1')).toMatchObject({ status: 401 });
    expect(await ask('Bearer wrong', '192.0.2.2')).toMatchObject(LIMITED);
  });

  it('is unknown if the host’s hook throws, which is logged', async () => {
    const { ask, logged } = start({
      authFailureLimit: 1,
      clientAddress: () => {
        throw new Error('bug');
      },
    });
    for (let call = 0; call < 3; call += 1) expect(await ask('Bearer wrong')).toMatchObject({ status: 401 });
    expect(logged).toEqual(['the address of a client could not be read']);
  });
});
