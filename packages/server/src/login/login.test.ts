import type { GatewayRequest } from '@searchgate/core';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { limitAttempts } from './attempts.js';
import { createLogin, type Login } from './login.js';
import { hashPassword, isPassword, isPasswordHash, randomPassword } from './password.js';
import { createSessions } from './sessions.js';

const password = 'correct horse battery staple';
const log = { info: vi.fn<(fields: object) => void>(), warn: vi.fn<(fields: object) => void>() };

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

const attempt = (given: string, sent: Sent = {}) =>
  requestTo('/login', { method: 'POST', body: new URLSearchParams({ password: given }).toString(), ...sent });

/** What a browser sends back. */
const cookieOf = (response: { headers: Readonly<Record<string, string>> } | undefined) =>
  (response?.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';

const withCookie = (cookie: string) => requestTo('/', { headers: { cookie } });

describe('a login', () => {
  let passwordHash = '';
  let login: Login;
  beforeAll(async () => {
    passwordHash = await hashPassword(password);
    login = createLogin({ passwordHash, log });
  });

  it('shows a form without any script or style, which no other site can frame', async () => {
    const response = await login.handle(requestTo('/login'));
    const html = response?.body as string;
    expect(response).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
    expect(response?.headers['content-security-policy']).toContain("default-src 'none'; form-action 'self'");
    expect(html).toContain('<form method="post" action="login">');
    expect(html).not.toMatch(/<script|<style|style=| on\w+=/);
    expect(response?.headers['content-length']).toBe(String(Buffer.byteLength(html)));
  });

  it('lets in who knows the password, until the logout', async () => {
    const response = await login.handle(attempt(password, { address: '192.0.2.1' }));
    expect(response).toMatchObject({ status: 303, headers: { location: './' } });
    expect(response?.headers['set-cookie']).toMatch(
      /^searchgate_admin=[\w.-]+; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(response);
    expect(login.authorize(withCookie(`theme=dark; ${cookie}`))).toEqual({ role: 'operator', organizations: 'all' });
    expect(log.info).toHaveBeenCalledWith({ address: '192.0.2.1' }, 'an operator has logged in to the page');

    const out = await login.handle(requestTo('/logout', { headers: { cookie } }));
    expect(out).toMatchObject({ status: 303, headers: { location: './login' } });
    expect(out?.headers['set-cookie']).toContain('Max-Age=0');
    expect(login.authorize(withCookie(cookie))).toBeNull();
  });

  it('asks browsers to send the cookie over TLS alone where they came over TLS', async () => {
    const response = await login.handle(attempt(password, { headers: { 'x-forwarded-proto': 'https' } }));
    expect(response?.headers['set-cookie']).toMatch(/; Secure$/);
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

  it('looks at ten passwords of an address in a minute, and not at one more, right or wrong', async () => {
    const strict = createLogin({ passwordHash, log });
    const from = { address: '198.51.100.7' };
    const statuses: (number | undefined)[] = [];
    for (let tries = 0; tries < 10; tries += 1) statuses.push((await strict.handle(attempt('', from)))?.status);
    expect(new Set(statuses)).toEqual(new Set([400]));
    expect(await strict.handle(attempt(password, from))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
    });
    expect((await strict.handle(attempt(password, { address: '198.51.100.8' })))?.status).toBe(303);
  });

  it('knows no cookie that it has not signed, nor one of another process', async () => {
    const cookie = cookieOf(await login.handle(attempt(password, { address: '192.0.2.9' })));
    const [name = '', value = ''] = cookie.split('=');
    const [id = '', signature = ''] = value.split('.');
    const forged = [`${name}=${id}.${'A'.repeat(43)}`, `${name}=${'A'.repeat(43)}.${signature}`, `${name}=${id}.`, ''];
    for (const each of forged) expect(login.authorize(withCookie(each))).toBeNull();
    expect(createLogin({ passwordHash, log }).authorize(withCookie(cookie))).toBeNull();
    expect(login.authorize(withCookie(cookie))).not.toBeNull();
  });

  it('leaves every other path alone', async () => {
    for (const path of ['', '/', '/login/', '/assets/app.js'])
      expect(await login.handle(requestTo(path))).toBeUndefined();
  });
});

describe('sessions', () => {
  it('end after 12 hours', () => {
    let nowMs = 0;
    const sessions = createSessions(() => nowMs);
    const cookie = sessions.open(false).split(';', 1)[0];
    nowMs = 12 * 3_600_000 - 1;
    expect(sessions.isOpen(cookie)).toBe(true);
    nowMs += 1;
    expect(sessions.isOpen(cookie)).toBe(false);
  });

  it('are a hundred at most: the oldest ends', () => {
    const sessions = createSessions();
    const cookies = Array.from({ length: 101 }, () => sessions.open(false).split(';', 1)[0]);
    expect(cookies.map((cookie) => sessions.isOpen(cookie))).toEqual([false, ...Array<boolean>(100).fill(true)]);
  });
});

describe('limitAttempts', () => {
  it('counts by address and in all, and begins again after a minute', () => {
    let nowMs = 0;
    const mayTry = limitAttempts(() => nowMs);
    const allowed = (from: (index: number) => string, tries: number) =>
      Array.from({ length: tries }, (_, index) => mayTry(from(index))).filter(Boolean).length;
    expect(allowed(() => 'one', 20)).toBe(10);
    expect(allowed((index) => `address ${index}`, 1_000)).toBe(50);
    nowMs = 60_000;
    expect(allowed(() => 'one', 20)).toBe(10);
  });
});

describe('a password', () => {
  it('is kept as a hash with a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword(password), hashPassword(password)]);
    expect(one).not.toBe(other);
    expect([one, other].every(isPasswordHash)).toBe(true);
    expect(await isPassword(password, one)).toBe(true);
    expect(await isPassword(`${password} `, one)).toBe(false);
    expect(isPasswordHash(password)).toBe(false);
  });

  it('that is made cannot be guessed', () => {
    expect(randomPassword()).toMatch(/^[\w-]{22}$/);
    expect(randomPassword()).not.toBe(randomPassword());
  });
});
