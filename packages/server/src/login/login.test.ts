import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import type { GatewayRequest } from '@searchgate/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLogin, createSessions, type Login } from './login.js';
import type { Operator } from './operators.js';
import { hashPassword, hashRandomPassword, isPassword, isPasswordHash, randomPassword } from './password.js';

/** The slow hashes, counted in every module of the process. */
const scrypt = vi.spyOn(crypto, 'scrypt');
syncBuiltinESMExports();
afterAll(() => {
  scrypt.mockRestore();
  syncBuiltinESMExports();
});

const password = 'correct horse battery staple';
const log = { info: vi.fn<(fields: object) => void>(), warn: vi.fn<(fields: object) => void>() };

const trustProxy = () => 0;

const account = (name: string, passwordHash: string, rights: Partial<Operator> = {}): Operator => ({
  name,
  passwordHash,
  role: 'operator',
  organizations: 'all',
  ...rights,
});
/** The one account without others. */
const shared = (passwordHash: string) => () => [account('page', passwordHash)];

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly address?: string;
}

function requestTo(path: string, { method = 'GET', headers = {}, body = '', address }: Sent = {}): GatewayRequest {
  return {
    method,
    path,
    query: '',
    header: (name) => headers[name],
    readBody: ({ maxBodyBytes }) =>
      body.length > maxBodyBytes
        ? Promise.reject(new Error('too large'))
        : Promise.resolve({ bytes: new TextEncoder().encode(body) }),
    disconnected: false,
    clientAddress: address,
  };
}

const attempt = (given: string, sent: Sent = {}, name?: string) => {
  const body = new URLSearchParams({ password: given, ...(name !== undefined && { name }) }).toString();
  return requestTo('/login', { method: 'POST', body, ...sent });
};

/** The Cookie header that a browser would send back. */
const cookieOf = (response: { headers: Readonly<Record<string, string>> } | undefined) =>
  (response?.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';

const withCookie = (cookie: string) => requestTo('/', { headers: { cookie } });

describe('a login', () => {
  let passwordHash = '';
  let login: Login;
  beforeAll(async () => {
    passwordHash = await hashPassword(password);
    login = createLogin({ accounts: shared(passwordHash), trustProxy, log });
  });

  it('shows a form without script or style that other sites cannot frame', async () => {
    const response = await login.handle(requestTo('/login'));
    const html = response?.body as string;
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response?.headers['content-security-policy']).toContain("default-src 'none'; form-action 'self'");
    expect(html).toContain('<form method="post" action="login">');
    expect(html).not.toMatch(/<script|<style|style=| on\w+=|name="name"/);
    expect(response?.headers['content-length']).toBe(String(Buffer.byteLength(html)));
  });

  it('grants access with the password, until the logout', async () => {
    const response = await login.handle(attempt(password, { address: '192.0.2.1' }));
    expect(response).toMatchObject({ status: 303, headers: { location: './' } });
    expect(response?.headers['set-cookie']).toMatch(
      /^searchgate_admin=[\w.-]+; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(response);
    expect(login.authorize(withCookie(`theme=dark; ${cookie}`))).toEqual({
      role: 'operator',
      organizations: 'all',
      actor: 'page',
    });
    expect(log.info).toHaveBeenCalledWith(
      { address: '192.0.2.1', actor: 'page' },
      'an operator has logged in to the page',
    );

    const leave = (method: string, headers: Readonly<Record<string, string>> = {}) =>
      login.handle(requestTo('/logout', { method, headers: { cookie, host: 'search.test', ...headers } }));
    const refused = [
      await leave('GET'),
      await leave('HEAD'),
      await leave('POST', { 'sec-fetch-site': 'same-site' }),
      await leave('POST', { origin: 'http://shop.test' }),
      await leave('POST', { origin: 'null' }),
    ];
    expect(refused.map((each) => each?.status)).toEqual([303, 303, 403, 403, 403]);
    expect(refused.map((each) => each?.headers['set-cookie'])).toEqual(refused.map(() => undefined));
    expect(login.authorize(withCookie(cookie))).not.toBeNull();

    const out = await leave('POST', { origin: 'http://search.test' });
    expect(out).toMatchObject({ status: 303, headers: { location: './login' } });
    expect(out?.headers['set-cookie']).toContain('Max-Age=0');
    expect(login.authorize(withCookie(cookie))).toBeNull();
  });

  it.each([
    ['of a page over TLS', 0, { origin: 'https://search.test' }, [303, true]],
    ['that a stranger calls TLS', 0, { 'x-forwarded-proto': 'https' }, [303, false]],
    ['that a trusted proxy calls TLS', 1, { 'x-forwarded-proto': 'https' }, [303, true]],
    ['of the host that a stranger names', 0, { origin: 'http://a.test', 'x-forwarded-host': 'a.test' }, [403, false]],
    [
      'of the host that a trusted proxy names',
      1,
      { origin: 'http://a.test', 'x-forwarded-host': 'a.test' },
      [303, false],
    ],
    [
      'of another host than the proxy names',
      1,
      { origin: 'http://b.test', 'x-forwarded-host': 'a.test' },
      [403, false],
    ],
  ])('believes a form %s only with trustProxy', async (_, proxies, headers, [status, isSecure]) => {
    const behind = createLogin({ accounts: shared(passwordHash), trustProxy: () => proxies, log });
    const response = await behind.handle(attempt(password, { headers: { host: 'search.test', ...headers } }));
    const cookie = response?.headers['set-cookie'] ?? '';
    expect([response?.status, cookie.endsWith('; Secure')]).toEqual([status, isSecure]);
  });

  it.each([
    ['a wrong password', attempt('hunter2'), 401],
    ['no password', attempt(''), 400],
    ['a body that is too long', attempt('x'.repeat(5_000)), 400],
    ['a form of another site', attempt(password, { headers: { 'sec-fetch-site': 'cross-site' } }), 403],
  ])('refuses %s', async (_, request, status) => {
    const response = await login.handle(request);
    expect(response?.status).toBe(status);
    expect(response?.headers['set-cookie']).toBeUndefined();
    expect(response?.body).toContain('role="alert"');
  });

  it('checks at most ten passwords per address and minute, right or wrong', async () => {
    // Requests come through a proxy, which forwards the addresses.
    const behind = { accounts: shared(passwordHash), trustProxy: () => 1, log };
    const strict = createLogin(behind);
    const forwarded = (address: string) => ({ address: '10.0.0.1', headers: { 'x-forwarded-for': address } });
    const from = forwarded('198.51.100.7');
    const statuses: (number | undefined)[] = [];
    for (let tries = 0; tries < 10; tries += 1) statuses.push((await strict.handle(attempt('', from)))?.status);
    expect(new Set(statuses)).toEqual(new Set([400]));
    expect(await strict.handle(attempt(password, from))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
    });
    expect((await strict.handle(attempt(password, forwarded('198.51.100.8'))))?.status).toBe(303);
  });

  it('rejects cookies that were not signed, or by another password', async () => {
    const cookie = cookieOf(await login.handle(attempt(password, { address: '192.0.2.9' })));
    const [name = '', value = ''] = cookie.split('=');
    const [endsAtMs = '', id = '', owner = '', signature = ''] = value.split('.');
    const forged = [
      `${name}=${endsAtMs}.${id}.${owner}.${'A'.repeat(43)}`,
      `${name}=${endsAtMs}.${'A'.repeat(22)}.${owner}.${signature}`,
      `${name}=${endsAtMs}.${id}.${owner}.`,
      `${name}=${endsAtMs}.${id}.${signature}`,
      `${name}=${id}.${signature}`,
      '',
    ];
    for (const each of forged) expect(login.authorize(withCookie(each))).toBeNull();
    const other = createLogin({ accounts: shared(await hashPassword(password)), trustProxy, log });
    expect(other.authorize(withCookie(cookie))).toBeNull();
    expect(
      createLogin({ accounts: shared(passwordHash), trustProxy, log }).authorize(withCookie(cookie)),
    ).not.toBeNull();
  });

  it('leaves every other path alone', async () => {
    for (const path of ['', '/', '/login/', '/assets/app.js'])
      expect(await login.handle(requestTo(path))).toBeUndefined();
  });
});

describe('a login with accounts', () => {
  const accounts: Operator[] = [];
  const login = createLogin({ accounts: () => accounts, trustProxy, log });
  beforeAll(async () => {
    accounts.push(account('ada', await hashPassword(password), { role: 'viewer', organizations: ['acme'] }));
    accounts.push(account('bob', hashRandomPassword('another horse battery')));
  });

  it('asks for a name, and gives each account its own rights', async () => {
    expect((await login.handle(requestTo('/login')))?.body).toContain('<input id="name" name="name"');
    const cookieFor = async (name: string, given: string) => cookieOf(await login.handle(attempt(given, {}, name)));
    const rightsOf = (cookie: string) => login.authorize(withCookie(cookie));
    const [ada, bob] = [await cookieFor(' ada ', password), await cookieFor('bob', 'another horse battery')];
    expect(rightsOf(ada)).toEqual({ role: 'viewer', organizations: ['acme'], actor: 'page:ada' });
    expect(rightsOf(bob)).toEqual({ role: 'operator', organizations: 'all', actor: 'page:bob' });
    const inNameOf = bob.replace(Buffer.from('bob').toString('base64url'), Buffer.from('ada').toString('base64url'));
    expect(rightsOf(inNameOf)).toBeNull();
  });

  it('checks as many hashes for a wrong name as for a wrong password, and says and logs no difference', async () => {
    log.warn.mockClear();
    const tried = async (name: string | undefined, given: string) => {
      scrypt.mockClear();
      const answer = await login.handle(attempt(given, { address: '192.0.2.77' }, name));
      return { hashes: scrypt.mock.calls.length, cost: scrypt.mock.calls[0]?.[3], answer };
    };
    const wrong = await tried('ada', 'a wrong password');
    expect([wrong.hashes, wrong.answer?.status]).toEqual([1, 401]);
    for (const name of ['eve', 'page', '', undefined, 'Ada', '__proto__', password])
      expect(await tried(name, password)).toEqual(wrong);
    // A password in the wrong field stays out of the log.
    const address = '192.0.2.77';
    expect(log.warn.mock.calls.map(([fields]) => fields)).toEqual([
      { address, actor: 'page:ada' },
      ...Array.from({ length: 7 }, () => ({ address })),
    ]);
  });
});

describe('sessions', () => {
  const ofHash = (hash: string, now?: () => number) => sessionsOf(account('page', hash), now);

  /** Of one account. */
  function sessionsOf(owner: Operator, now?: () => number) {
    const sessions = createSessions(() => [owner], now);
    return {
      ...sessions,
      open: () => sessions.open(owner, false),
      isOpen: (cookie: string) => sessions.accountOf(cookie) !== undefined,
    };
  }

  const cookieIn = (sessions: ReturnType<typeof sessionsOf>) => sessions.open().split(';', 1)[0] ?? '';

  it.each<[string, Partial<Operator>]>([
    ['password', { passwordHash: 'another hash' }],
    ['role', { role: 'viewer' }],
    ['organizations', { organizations: ['acme'] }],
    ['name', { name: 'eve' }],
  ])('end with another %s of the account', (_, changed) => {
    const ada = account('ada', 'a hash');
    const cookie = cookieIn(sessionsOf(ada));
    expect([sessionsOf(ada).isOpen(cookie), sessionsOf({ ...ada, ...changed }).isOpen(cookie)]).toEqual([true, false]);
  });

  it('end after 12 hours', () => {
    let nowMs = 1_000;
    const sessions = ofHash('a hash', () => nowMs);
    const cookie = cookieIn(sessions);
    nowMs += 12 * 3_600_000 - 1;
    expect(sessions.isOpen(cookie)).toBe(true);
    nowMs += 1;
    expect(sessions.isOpen(cookie)).toBe(false);
  });

  it('are taken by every process with the same password, and by no other', () => {
    const cookie = cookieIn(ofHash('a hash'));
    expect(ofHash('a hash').isOpen(cookie)).toBe(true);
    expect(ofHash('another hash').isOpen(cookie)).toBe(false);
  });

  it('cannot be made longer', () => {
    const sessions = ofHash('a hash', () => 1_000);
    const cookie = cookieIn(sessions);
    const longer = cookie.replace(/=(\d+)/, (_, endsAtMs) => `=${Number(endsAtMs) + 1}`);
    expect([sessions.isOpen(cookie), sessions.isOpen(longer)]).toEqual([true, false]);
  });

  it('are found behind any cookies of the same name, and closed there', () => {
    const sessions = ofHash('a hash');
    const [one, other] = [cookieIn(sessions), cookieIn(sessions)];
    const junk = ['searchgate_admin=junk', cookieIn(ofHash('another hash')), 'searchgate_admin=', 'theme=dark'];
    for (const [index] of junk.entries()) {
      const cookies = junk.toSpliced(index, 0, one);
      expect([sessions.isOpen(cookies.join('; ')), sessions.isOpen(cookies.join(';'))]).toEqual([true, true]);
    }
    sessions.close([...junk, one, other].join('; '));
    expect([one, other].map((each) => sessions.isOpen(each))).toEqual([false, false]);
  });

  it('stay closed, each by itself', () => {
    const sessions = ofHash('a hash');
    const [one, other] = [cookieIn(sessions), cookieIn(sessions)];
    sessions.close(one);
    expect([sessions.isOpen(one), sessions.isOpen(other)]).toEqual([false, true]);
  });
});

describe('a password', () => {
  it('is stored as a hash with its own salt', async () => {
    const [one, other] = await Promise.all([hashPassword(password), hashPassword(password)]);
    expect(one).not.toBe(other);
    expect([one, other].every(isPasswordHash)).toBe(true);
    expect(await isPassword(password, one)).toBe(true);
    expect(await isPassword(`${password} `, one)).toBe(false);
    expect(isPasswordHash(password)).toBe(false);
  });

  it('that the server makes has 128 random bits, and a hash that is quick to check', async () => {
    const random = randomPassword();
    expect(random).toMatch(/^[\w-]{22}$/);
    expect(random).not.toBe(randomPassword());
    const kept = hashRandomPassword(random);
    expect([isPasswordHash(kept), kept === hashRandomPassword(random)]).toEqual([true, false]);
    expect(await isPassword(random, kept)).toBe(true);
    expect(await isPassword(`${random} `, kept)).toBe(false);
  });
});
