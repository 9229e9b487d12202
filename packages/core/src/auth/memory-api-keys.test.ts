import { apiKeyRegistryConformance } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { generateApiKey, hashApiKey } from './api-key-secret.js';
import { type MemoryApiKey, memoryApiKeys } from './memory-api-keys.js';

const SECRET = 'a-secret-of-twenty-characters';
const KEY: MemoryApiKey = { apiKey: SECRET, label: 'demo', organizationId: 'acme' };

const create = async () => ({ registry: memoryApiKeys(), dispose: async () => undefined });
apiKeyRegistryConformance({ describe, it, create });

describe('memoryApiKeys', () => {
  it('finds a key by the hash of its secret, with all defaults', async () => {
    const store = memoryApiKeys([KEY]);
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
      rateLimit: null,
      maxConcurrent: null,
      operatorPays: false,
      organizationRateLimit: null,
      organizationMaxConcurrent: null,
    });
    expect(await store.findByHash(hashApiKey('something else entirely'))).toBeUndefined();
  });

  it('keeps no secret', async () => {
    const store = memoryApiKeys([KEY]);
    expect(JSON.stringify(await store.listKeys())).not.toContain(SECRET);
  });

  it('accepts a key by its hash only', async () => {
    const { hash } = generateApiKey();
    const store = memoryApiKeys([{ secretHash: hash, label: 'ci', organizationId: 'acme', limit: '0.000000001' }]);
    expect(await store.findByHash(hash)).toMatchObject({ label: 'ci', limit: 1n });
  });

  it('names a generated key by its public part', async () => {
    const { id, secret } = generateApiKey();
    expect(secret.startsWith(`${id}_`)).toBe(true);
    const store = memoryApiKeys([{ apiKey: secret, label: 'a', organizationId: 'o' }]);
    expect(await store.findKey(id)).toMatchObject({ hash: hashApiKey(secret) });
  });

  it('stores the other fields of a key, and the time of its creation', async () => {
    const before = Date.now();
    const fields = { limit: '5.00', limitReset: 'monthly', expiresAt: '2030-01-01T00:00:00Z', revoked: true } as const;
    const key = await memoryApiKeys([{ ...KEY, id: 'mine', ...fields }]).findKey('mine');
    const expiresAtMs = Date.UTC(2030, 0, 1);
    expect(key).toMatchObject({ limit: 5_000_000_000n, limitReset: 'monthly', expiresAtMs, revokedAtMs: 0 });
    expect(key?.createdAtMs).toBeGreaterThanOrEqual(before);
  });

  it('knows the organizations of its keys, which can be suspended', async () => {
    const store = memoryApiKeys([KEY]);
    await store.updateOrganization('acme', { suspendedAtMs: 1 });
    expect(await store.findByHash(hashApiKey(SECRET))).toMatchObject({ organizationSuspended: true });
  });

  it.each<[string, object, string]>([
    ['a short secret', { apiKey: 'short' }, '.apiKey'],
    ['both secret and hash', { secretHash: hashApiKey('x') }, ''],
    ['a reset of no limit', { limitReset: 'daily' }, '.limitReset'],
    ['neither secret nor hash', { apiKey: undefined }, ''],
    ['an amount that is no decimal', { limit: '$5' }, '.limit'],
    ['more than any ledger holds', { limit: '999999999999' }, '.limit'],
    ['a negative amount', { limit: '-1' }, '.limit'],
    ['an amount as a number', { limit: 5 }, '.limit'],
    ['a date without a time', { expiresAt: '2027-01-01' }, '.expiresAt'],
    ['a time that no registry keeps', { expiresAt: '1969-12-31T23:59:59Z' }, '.expiresAt'],
    ['a label with NUL', { label: 'a\0' }, '.label'],
    ['half a character', { label: '\ud83d' }, '.label'],
    ['a slug with NUL', { allowedModels: ['\0'] }, '.allowedModels[0]'],
    ['too many slugs', { allowedModels: Array<string>(1_001).fill('a/b') }, '.allowedModels'],
    ['a misspelt field', { limits: '5' }, '.limits'],
  ])('refuses %s, naming the place', (_name, fields, field) => {
    const problems = [expect.objectContaining({ path: `memoryApiKeys[0]${field}` })];
    const refusal = expect.objectContaining({ reason: 'invalid_configuration', problems });
    expect(() => memoryApiKeys([{ ...KEY, ...fields }])).toThrow(refusal);
  });

  it('never prints a secret in a problem', () => {
    expect(() => memoryApiKeys([{ apiKey: 'hunter2', label: 'a', organizationId: 'o' }])).toThrow(/^(?!.*hunter2)/s);
  });

  it('suggests the nearest field for a misspelled name', () => {
    const key = { apiKey: SECRET, label: 'a', organizationsId: 'o' } as unknown as MemoryApiKey;
    expect(() => memoryApiKeys([key])).toThrow(/Did you mean "organizationId"\?/);
  });

  it('refuses two keys with the same secret', () => {
    const twice = /memoryApiKeys\[1\].* expected a secret and id no other key has/;
    expect(() => memoryApiKeys([KEY, { ...KEY, id: 'other' }])).toThrow(twice);
    const hashed = { secretHash: hashApiKey(SECRET), label: 'a', organizationId: 'o' };
    expect(() => memoryApiKeys([hashed, { ...hashed, id: 'other' }])).toThrow(twice);
    const other = { ...hashed, secretHash: 'a'.repeat(64), id: 'x' };
    expect(() => memoryApiKeys([{ ...KEY, id: 'x' }, other])).toThrow(twice);
  });

  it('finds a key with its budgets, in the order of the key', async () => {
    const team = { organizationId: 'acme', id: 'team:research', limit: '200.00', limitReset: 'monthly' } as const;
    const user = { organizationId: 'acme', id: 'user:ada', limit: '0', mode: 'warn' } as const;
    const foreign = { ...team, organizationId: 'globex', limit: '1' };
    const options = { budgets: [team, foreign, user] };
    const store = memoryApiKeys([{ ...KEY, budgets: ['user:ada', 'team:research'] }], options);
    expect((await store.findByHash(hashApiKey(SECRET)))?.budgets).toEqual([
      { id: 'user:ada', limit: 0n, limitReset: null, mode: 'warn', isKept: true },
      { id: 'team:research', limit: 200_000_000_000n, limitReset: 'monthly', mode: 'enforce', isKept: true },
    ]);
    expect(await store.listBudgets('globex')).toMatchObject({
      items: [{ id: 'team:research', limit: 1_000_000_000n }],
    });
  });

  it.each<[string, readonly string[], string]>([
    ['an unknown budget', ['a', 'b'], '[0].budgets[1]: found "b", expected a budget of acme in the option budgets'],
    ['a budget of another organization', ['c'], '[0].budgets[0]: found "c", expected a budget of acme'],
    ['a budget twice', ['a', 'a'], '[0].budgets: found an array of 2, expected no budget twice'],
    ['five budgets', ['a', 'b', 'c', 'd', 'e'], '[0].budgets: found an array of 5, expected at most 4 budgets'],
  ])('refuses a key with %s', (_name, budgets, message) => {
    const set = ['a', 'd', 'e'].map((id) => ({ organizationId: 'acme', id, limit: '1' }));
    const options = { budgets: [...set, { organizationId: 'globex', id: 'c', limit: '1' }] };
    expect(() => memoryApiKeys([{ ...KEY, budgets }], options)).toThrow(`memoryApiKeys${message}`);
  });

  it.each<[string, object, string]>([
    ['no limit', { limit: null }, '.limit'],
    ['a reset that does not exist', { limitReset: 'hourly' }, '.limitReset'],
    ['an unknown mode', { mode: 'soft' }, '.mode'],
    ['an id with a space', { id: 'a b' }, '.id'],
    ['an unknown field', { limits: '1' }, '.limits'],
    ['the id of another', {}, ''],
  ])('refuses a budget with %s', (_name, fields, field) => {
    const budget = { organizationId: 'acme', id: 'a', limit: '1' };
    const options = { budgets: [budget, { ...budget, ...fields }] };
    expect(() => memoryApiKeys([], options)).toThrow(`memoryApiKeys.budgets[1]${field}: `);
  });

  it('keeps the domain rule of a key, normalized, and refuses any other', async () => {
    const store = memoryApiKeys([{ ...KEY, domains: { only: ['B.org', 'a.org'] } }]);
    expect(await store.findByHash(hashApiKey(SECRET))).toMatchObject({ domains: [{ only: ['a.org', 'b.org'] }] });
    for (const domains of [{ only: [] }, { never: ['10.0.0.1'] }, 'a.org'])
      expect(() => memoryApiKeys([{ ...KEY, domains: domains as never }])).toThrow('memoryApiKeys[0].domains: ');
  });

  it('accepts limits up to the maximum of ledgers', async () => {
    const limitOf = async (limit: string) => {
      const store = memoryApiKeys([{ ...KEY, limit }]);
      return (await store.findByHash(hashApiKey(SECRET)))?.limit;
    };
    expect(await limitOf('0')).toBe(0n);
    expect(await limitOf('4611686018.427387904')).toBe(2n ** 62n);
    await expect(limitOf('4611686018.427387905')).rejects.toThrow('memoryApiKeys[0].limit');
  });
});
