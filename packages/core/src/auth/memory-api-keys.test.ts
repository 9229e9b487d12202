import { describe, expect, it } from 'vitest';
import { generateApiKey, hashApiKey } from './api-key-secret.js';
import { type MemoryApiKey, memoryApiKeys } from './memory-api-keys.js';

const SECRET = 'a-secret-of-twenty-characters';

describe('memoryApiKeys', () => {
  it('finds a key by the hash of its secret, with every default filled in', async () => {
    const store = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]);
    expect(await store.findByHash(hashApiKey(SECRET))).toEqual({
      id: `sg_${hashApiKey(SECRET).slice(0, 12)}`,
      organizationId: 'acme',
      label: 'demo',
      limitReset: null,
      limit: null,
      allowedModels: null,
      expiresAtMs: null,
      revokedAtMs: null,
      organizationSuspended: false,
    });
    expect(await store.findByHash(hashApiKey('something else entirely'))).toBeUndefined();
  });

  it('keeps no secret', () => {
    const store = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]);
    expect(JSON.stringify(store.list())).not.toContain(SECRET);
  });

  it('takes a key by its hash alone', async () => {
    const { hash } = generateApiKey();
    const store = memoryApiKeys([{ secretHash: hash, label: 'ci', organizationId: 'acme', limit: '0.000000001' }]);
    expect(await store.findByHash(hash)).toMatchObject({ label: 'ci', limit: 1n });
  });

  it('names a generated key by its public part', () => {
    const { id, secret } = generateApiKey();
    expect(secret.startsWith(`${id}_`)).toBe(true);
    expect(memoryApiKeys([{ apiKey: secret, label: 'a', organizationId: 'o' }]).list()[0]?.id).toBe(id);
  });

  it('creates keys whose secret works and is shown once', async () => {
    const store = memoryApiKeys();
    const { secret, key } = store.create({
      label: 'new',
      organizationId: 'acme',
      limit: '5.00',
      expiresAt: '2030-01-01T00:00:00Z',
    });
    expect(secret).toMatch(/^sg_[0-9a-f]{12}_[\w-]{43}$/);
    expect(key).toMatchObject({ limit: 5_000_000_000n, expiresAtMs: Date.UTC(2030, 0, 1) });
    expect(await store.findByHash(hashApiKey(secret))).toEqual(key);
  });

  it('revokes by id', async () => {
    const store = memoryApiKeys();
    const { secret, key } = store.create({ label: 'new', organizationId: 'acme' });
    expect(store.revoke(key.id)).toBe(true);
    expect(store.revoke('sg_unknown')).toBe(false);
    expect((await store.findByHash(hashApiKey(secret)))?.revokedAtMs).toBeTypeOf('number');
  });

  it('suspends and resumes a whole organisation', async () => {
    const store = memoryApiKeys([{ apiKey: SECRET, label: 'demo', organizationId: 'acme' }]);
    const suspended = async (): Promise<boolean | undefined> =>
      (await store.findByHash(hashApiKey(SECRET)))?.organizationSuspended;
    store.suspendOrganization('acme');
    expect(await suspended()).toBe(true);
    store.suspendOrganization('acme', false);
    expect(await suspended()).toBe(false);
  });

  it.each<[string, unknown, string]>([
    ['a short secret', { apiKey: 'short', label: 'a', organizationId: 'o' }, 'memoryApiKeys[0].apiKey'],
    [
      'both secret and hash',
      { apiKey: SECRET, secretHash: hashApiKey('x'), label: 'a', organizationId: 'o' },
      'memoryApiKeys[0]',
    ],
    ['neither secret nor hash', { label: 'a', organizationId: 'o' }, 'memoryApiKeys[0]'],
    [
      'an amount that is no decimal',
      { apiKey: SECRET, label: 'a', organizationId: 'o', limit: '$5' },
      'memoryApiKeys[0].limit',
    ],
    ['a negative amount', { apiKey: SECRET, label: 'a', organizationId: 'o', limit: '-1' }, 'memoryApiKeys[0].limit'],
    ['an amount as a number', { apiKey: SECRET, label: 'a', organizationId: 'o', limit: 5 }, 'memoryApiKeys[0].limit'],
    [
      'a date without a time',
      { apiKey: SECRET, label: 'a', organizationId: 'o', expiresAt: '2027-01-01' },
      'memoryApiKeys[0].expiresAt',
    ],
    ['a misspelt field', { apiKey: SECRET, label: 'a', organizationId: 'o', limits: '5' }, 'memoryApiKeys[0].limits'],
  ])('refuses %s, naming the place', (_name, key, path) => {
    expect(() => memoryApiKeys([key as MemoryApiKey])).toThrow(
      expect.objectContaining({ reason: 'invalid_configuration', problems: [expect.objectContaining({ path })] }),
    );
  });

  it('never prints a secret in a problem', () => {
    expect(() => memoryApiKeys([{ apiKey: 'hunter2', label: 'a', organizationId: 'o' }])).toThrow(/^(?!.*hunter2)/s);
  });

  it('suggests the field that was meant', () => {
    const key = { apiKey: SECRET, label: 'a', organisationId: 'o' } as unknown as MemoryApiKey;
    expect(() => memoryApiKeys([key])).toThrow(/Did you mean "organizationId"\?/);
  });

  it('refuses two keys with the same secret', () => {
    const key = { apiKey: SECRET, label: 'a', organizationId: 'o' };
    expect(() => memoryApiKeys([key, { ...key, id: 'other' }])).toThrow(/memoryApiKeys\[1\]/);
  });
});
