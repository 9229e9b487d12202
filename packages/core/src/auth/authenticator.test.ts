import { createFakeClock, type FakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import type { Logger } from '../base/events/logger.js';
import type { ApiKeyStore } from './api-key.js';
import { hashApiKey } from './api-key-secret.js';
import {
  type Authenticate,
  findBearerToken,
  hookAuthenticator,
  identityOfHost,
  storeAuthenticator,
  withoutToken,
} from './authenticator.js';
import { cachedApiKeys } from './cached-api-keys.js';
import type { CallerRequest } from './caller-request.js';
import { unguarded } from './failure-guard.js';
import { type MemoryApiKey, memoryApiKeys } from './memory-api-keys.js';

const SECRET = 'a-secret-of-twenty-characters';
const logged: string[] = [];
const note: Logger['error'] = ({ error }, message) => logged.push(message, String(error));
const logger: Logger = { warn: note, error: note };

function request(headers: Record<string, string> = {}): CallerRequest {
  return { method: 'GET', path: '/api/v1/key', header: (name) => headers[name] };
}
const bearer = (token: string): CallerRequest => request({ authorization: `Bearer ${token}` });

const FRESH = { maxKeys: 10, maxAgeMs: 5_000, timeoutMs: 5_000 };

function byStore(store: ApiKeyStore, clock: FakeClock = createFakeClock(), maxAgeMs = 0) {
  const cached = cachedApiKeys(store, { ...FRESH, maxAgeMs, clock });
  return storeAuthenticator({ store: cached, guard: unguarded, clock, logger });
}

function withKey(fields: Partial<MemoryApiKey> = {}) {
  const clock = createFakeClock(Date.UTC(2026, 10, 21));
  const store = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme', ...fields }]);
  return { clock, store, authenticator: byStore(store, clock) };
}

describe('storeAuthenticator', () => {
  it('accepts a key until the moment it expires', async () => {
    const { authenticator } = withKey({ expiresAt: '2026-11-21T00:00:00.001Z' });
    await expect(authenticator.byRequest(bearer(SECRET))).resolves.toBeDefined();
  });

  it('refuses a key that was revoked by a clock ahead of its own', async () => {
    const { authenticator, store, clock } = withKey({ id: 'ahead' });
    await store.updateKey('ahead', { revokedAtMs: clock.now() + 60_000 });
    await expect(authenticator.byRequest(bearer(SECRET))).rejects.toMatchObject({ reason: 'revoked_api_key' });
  });

  it('answers 503, never 401, when the store fails', async () => {
    const store = { findByHash: () => Promise.reject(new Error('connection refused')) };
    const authenticator = byStore(store);
    await expect(authenticator.byToken(SECRET)).rejects.toMatchObject({
      reason: 'ledger_unavailable',
      status: 503,
      retryAfterMs: 1_000,
    });
    expect(logged).toContain('the key store failed');
  });

  it('answers 500 if the store returns a value that is no key, and asks the store again the next time', async () => {
    let asked = 0;
    const findByHash = () => Promise.resolve({ id: 'key', label: 5, asked: (asked += 1) } as never);
    const { byToken } = byStore({ findByHash }, createFakeClock(), FRESH.maxAgeMs);
    const cause = { name: 'WrongShapeError' };
    await expect(byToken(SECRET)).rejects.toMatchObject({ reason: 'hook_failed', status: 500, cause });
    await expect(byToken(SECRET)).rejects.toMatchObject({ reason: 'hook_failed', status: 500 });
    expect({ asked, logged: logged.slice(-2) }).toEqual({
      asked: 2,
      logged: [
        'the key store failed',
        'WrongShapeError: organizationId: found nothing, expected 1 to 128 printable ASCII characters without spaces, neither "." nor ".."',
      ],
    });
  });

  it('looks keys up only by hash', async () => {
    const asked: string[] = [];
    const store = { findByHash: (hash: string) => (asked.push(hash), Promise.resolve(undefined)) };
    const authenticator = byStore(store);
    await expect(authenticator.byToken(SECRET)).rejects.toMatchObject({ reason: 'invalid_api_key' });
    expect(asked).toEqual([hashApiKey(SECRET)]);
  });
});

describe('hookAuthenticator', () => {
  const TIMEOUT_MS = 5_000;
  const byHook = (authenticate: Authenticate, clock: FakeClock = createFakeClock()) =>
    hookAuthenticator({ authenticate, timeoutMs: TIMEOUT_MS, guard: unguarded, clock, logger });
  const refused = { reason: 'not_authenticated', status: 401, type: 'authentication_error' };
  const failed = { reason: 'hook_failed', status: 500 };

  it('calls the hook with the token and the request, which the hook may destructure', async () => {
    const { byRequest } = byHook((token, { header, path }) => ({
      id: `${token}-${header('x-user')}`,
      organizationId: path,
    }));
    class AdapterRequest implements CallerRequest {
      readonly method = 'GET';
      readonly path = '/api/v1/key';
      readonly #headers: Record<string, string> = { authorization: 'Bearer t', 'x-user': 'ada' };
      header(name: string): string | undefined {
        return this.#headers[name];
      }
    }
    expect(await byRequest(new AdapterRequest())).toMatchObject({
      id: 't-ada',
      organizationId: '/api/v1/key',
      label: 't-ada',
      limit: null,
      allowedModels: null,
    });
  });

  it('passes the request of the host’s framework unchanged, and no request in process', async () => {
    const host = { user: 'ada' };
    const seen: unknown[] = [];
    const { byRequest, byToken } = byHook((_token, asked) => (seen.push(asked.host), null));
    await expect(byRequest({ ...request(), host })).rejects.toMatchObject(refused);
    await expect(byToken('t')).rejects.toMatchObject(refused);
    expect(seen[0]).toBe(host);
    expect(seen[1]).toBeUndefined();
  });

  it('calls the hook also without a token, because a cookie may name the caller', async () => {
    const { byRequest } = byHook((token) => ({ id: token ?? 'from-cookie', organizationId: 'acme', limit: '2.50' }));
    expect(await byRequest(request())).toMatchObject({ id: 'from-cookie', limit: 2_500_000_000n });
  });

  it.each<[string, Authenticate]>([
    ['throws', throwBug],
    ['rejects', () => Promise.reject(new Error('bug'))],
    ['forgets to return', () => undefined as never],
    ['returns no organization', () => ({ id: 'a' }) as never],
    ['resolves to no organization', () => Promise.resolve({ id: 'a' } as never)],
    ['returns a thenable that throws', () => thenable(throwBug)],
  ])('fails with hook_failed when the hook %s', async (_name, authenticate) => {
    await expect(byHook(authenticate).byRequest(bearer('t'))).rejects.toMatchObject(failed);
    await expect(byHook(authenticate).byToken('t')).rejects.toMatchObject(failed);
  });

  it('keeps the error of the hook as the cause', async () => {
    const bug = new Error('bug');
    const { byToken } = byHook(() => Promise.reject(bug));
    await expect(byToken('t')).rejects.toMatchObject({ cause: bug });
    expect(() => identityOfHost({ id: 'a' } as never, logger)).toThrow(
      expect.objectContaining({ ...failed, cause: expect.objectContaining({ name: 'WrongShapeError' }) }),
    );
  });

  it('logs which field is wrong', async () => {
    const { byRequest } = byHook(() => ({ id: 'a', organizationId: 'acme', allowedModels: 'exa/answer' }) as never);
    await expect(byRequest(bearer('t'))).rejects.toMatchObject(failed);
    expect(logged.slice(-2)).toEqual([
      'the authenticate hook failed',
      'WrongShapeError: allowedModels: found "exa/answer", expected an array of slugs, or null',
    ]);
  });

  it.each<[string, Authenticate]>([
    ['a promise', () => new Promise(() => undefined)],
    ['a thenable of a driver', () => thenable(() => undefined)],
    ['a thenable that gives another', () => thenable((give) => give(thenable(() => undefined)))],
  ])('gives up on a hook whose answer is %s that never settles', async (_name, authenticate) => {
    const clock = createFakeClock();
    let outcome: unknown = 'waiting';
    Promise.resolve(byHook(authenticate, clock).byRequest(bearer('t'))).catch((error: unknown) => (outcome = error));
    await clock.advance(TIMEOUT_MS - 1);
    expect(outcome).toBe('waiting');
    await clock.advance(1);
    expect(outcome).toMatchObject(failed);
    expect(logged.at(-1)).toBe('Error: authenticate did not answer within 5000 ms');
  });

  it('ignores the result of a hook after its time limit', async () => {
    const clock = createFakeClock();
    let answer: (identity: null) => void = () => undefined;
    const asked = byHook(() => new Promise((resolve) => (answer = resolve)), clock).byToken('t');
    const outcome = asked.catch((error: unknown) => error);
    await clock.advance(TIMEOUT_MS);
    answer(null);
    expect(await outcome).toMatchObject(failed);
  });

  it('starts no timer for a hook that answers at once', async () => {
    const clock = createFakeClock();
    await byHook(() => ({ id: 'a', organizationId: 'acme' }), clock).byRequest(bearer('t'));
    expect(clock.pendingTimers).toBe(0);
  });

  it('authenticates a bare token for calls of the host itself', async () => {
    expect(await byHook((token) => ({ id: token ?? '', organizationId: 'acme' })).byToken('t')).toMatchObject({
      id: 't',
    });
  });
});

function throwBug(): never {
  throw new Error('bug');
}

/** What some drivers return instead of a promise. */
function thenable(then: (give: (value: unknown) => void) => void): never {
  // oxlint-disable-next-line unicorn/no-thenable -- it stands for objects that have one
  return { then } as never;
}

describe('findBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER   abc  ', 'abc'],
    ['Bearer sg_0123456789ab_x-Y~z.=/+', 'sg_0123456789ab_x-Y~z.=/+'],
  ])('takes the token out of %j', (header, token) => {
    expect(findBearerToken(header)).toBe(token);
  });

  it('distinguishes a missing header from a malformed header', () => {
    expect(findBearerToken(undefined)).toBeNull();
    expect(withoutToken(undefined)).toMatchObject({ reason: 'missing_api_key' });
  });

  it.each([
    ['nothing', ''],
    ['control characters', 'Bearer a\u0007'],
  ])('refuses %s', (_name, header) => {
    expect(findBearerToken(header)).toBeNull();
    expect(withoutToken(header)).toMatchObject({ reason: 'malformed_authorization' });
  });

  it('accepts exactly 512 bytes', () => {
    expect(findBearerToken(`Bearer ${'a'.repeat(505)}`)).toHaveLength(505);
  });
});
