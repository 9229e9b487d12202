import { describe, expect, it } from 'vitest';
import type { Logger } from '../logger.js';
import { createFakeClock } from '../testing/fake-clock.js';
import { hashApiKey } from './api-key-secret.js';
import {
  type Authenticate,
  type AuthenticatedRequest,
  hookAuthenticator,
  storeAuthenticator,
} from './authenticator.js';
import { type MemoryApiKey, memoryApiKeys } from './memory-api-keys.js';

const SECRET = 'a-secret-of-twenty-characters';
const logged: string[] = [];
const logger: Logger = {
  warn: (_fields, message) => logged.push(message),
  error: (_fields, message) => logged.push(message),
};

function request(headers: Record<string, string> = {}): AuthenticatedRequest {
  return { method: 'GET', path: '/api/v1/key', header: (name) => headers[name] };
}
const bearer = (token: string): AuthenticatedRequest => request({ authorization: `Bearer ${token}` });

function withKey(fields: Partial<MemoryApiKey> = {}) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const store = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme', ...fields }]);
  return { clock, store, authenticator: storeAuthenticator({ store, clock, logger }) };
}

describe('storeAuthenticator', () => {
  it('accepts a known key', async () => {
    expect(await withKey().authenticator.byRequest(bearer(SECRET))).toMatchObject({
      organizationId: 'acme',
      label: 'demo',
    });
  });

  it.each([
    ['an unknown key', {}, bearer('another-secret-of-twenty'), 'invalid_api_key'],
    ['no key', {}, request(), 'missing_api_key'],
    ['a malformed header', {}, request({ authorization: 'Basic abc' }), 'malformed_authorization'],
    ['a revoked key', { revoked: true }, bearer(SECRET), 'revoked_api_key'],
    ['an expired key', { expiresAt: '2026-11-21T00:00:00Z' }, bearer(SECRET), 'expired_api_key'],
  ])('refuses %s', async (_name, fields, sent, reason) => {
    await expect(withKey(fields).authenticator.byRequest(sent)).rejects.toMatchObject({ reason });
  });

  it('accepts a key until the moment it expires', async () => {
    const { authenticator } = withKey({ expiresAt: '2026-11-21T00:00:00.001Z' });
    await expect(authenticator.byRequest(bearer(SECRET))).resolves.toBeDefined();
  });

  it('refuses a key that was revoked by a clock ahead of its own', async () => {
    const { authenticator, store, clock } = withKey({ id: 'ahead' });
    await store.updateKey('ahead', { revokedAtMs: clock.now() + 60_000 });
    await expect(authenticator.byRequest(bearer(SECRET))).rejects.toMatchObject({ reason: 'revoked_api_key' });
  });

  it('refuses every key of a suspended organisation', async () => {
    const { authenticator, store } = withKey();
    await store.updateOrganization('acme', { suspendedAtMs: 0 });
    await expect(authenticator.byRequest(bearer(SECRET))).rejects.toMatchObject({
      reason: 'organization_suspended',
      status: 403,
    });
  });

  it('answers 503, never 401, when the store fails', async () => {
    const store = { findByHash: () => Promise.reject(new Error('connection refused')) };
    const authenticator = storeAuthenticator({ store, clock: createFakeClock(), logger });
    await expect(authenticator.byToken(SECRET)).rejects.toMatchObject({
      reason: 'ledger_unavailable',
      status: 503,
      retryAfterMs: 1_000,
    });
    expect(logged).toContain('the key store failed');
  });

  it('looks keys up by hash alone', async () => {
    const asked: string[] = [];
    const store = { findByHash: (hash: string) => (asked.push(hash), Promise.resolve(undefined)) };
    const authenticator = storeAuthenticator({ store, clock: createFakeClock(), logger });
    await expect(authenticator.byToken(SECRET)).rejects.toMatchObject({ reason: 'invalid_api_key' });
    expect(asked).toEqual([hashApiKey(SECRET)]);
  });
});

describe('hookAuthenticator', () => {
  const byHook = (authenticate: Authenticate) => hookAuthenticator(authenticate, logger);

  it('gives the hook the token and the request', async () => {
    const { byRequest } = byHook((token, { header, path }) => ({
      id: `${token}-${header('x-user')}`,
      organizationId: path,
    }));
    expect(await byRequest(request({ authorization: 'Bearer t', 'x-user': 'ada' }))).toMatchObject({
      id: 't-ada',
      organizationId: '/api/v1/key',
      label: 't-ada',
      limit: null,
      allowedModels: null,
    });
  });

  it('asks the hook even without a token, since it may know the caller by a cookie', async () => {
    const { byRequest } = byHook((token) => ({ id: token ?? 'from-cookie', organizationId: 'acme', limit: '2.50' }));
    expect(await byRequest(request())).toMatchObject({ id: 'from-cookie', limit: 2_500_000_000n });
  });

  it.each([
    ['no header', request(), 'missing_api_key'],
    ['a malformed header', request({ authorization: 'Basic x' }), 'malformed_authorization'],
    ['an unknown token', bearer('t'), 'invalid_api_key'],
  ])('explains a refusal with %s', async (_name, sent, reason) => {
    await expect(byHook(() => null).byRequest(sent)).rejects.toMatchObject({ reason, status: 401 });
  });

  it.each<[string, Authenticate]>([
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('bug'))],
    ['returns no organisation', () => ({ id: 'a' }) as never],
    ['returns an id with spaces', () => ({ id: 'a b', organizationId: 'acme' })],
    ['returns a negative limit', () => ({ id: 'a', organizationId: 'acme', limit: '-1' })],
    ['returns a limit that is no amount', () => ({ id: 'a', organizationId: 'acme', limit: 'five' })],
  ])('fails with hook_failed when the hook %s', async (_name, authenticate) => {
    await expect(byHook(authenticate).byRequest(bearer('t'))).rejects.toMatchObject({
      reason: 'hook_failed',
      status: 500,
    });
    await expect(byHook(authenticate).byToken('t')).rejects.toMatchObject({ reason: 'hook_failed' });
  });

  it('authenticates a bare token for calls of the host itself', async () => {
    expect(await byHook((token) => ({ id: token ?? '', organizationId: 'acme' })).byToken('t')).toMatchObject({
      id: 't',
    });
    await expect(byHook(() => null).byToken('t')).rejects.toMatchObject({ reason: 'invalid_api_key' });
  });
});
