import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../auth/api-key-secret.js';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { LedgerError } from '../base/errors/ledger-error.js';
import { limitWindowAt } from '../base/time/limit-window.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import type { ApiKeyUpdate, NewApiKey } from './administration.js';
import { createAdministration } from './create-administration.js';

const NOW_MS = Date.UTC(2026, 10, 21);
const NEW_KEY = { organizationId: 'acme', label: 'ci' };

function start(apiKeys = memoryApiKeys()) {
  const clock = createFakeClock(NOW_MS);
  const administration = createAdministration({ ledger: memoryLedger({ clock }), apiKeys, clock });
  return { clock, apiKeys, administration, keys: administration.apiKeys };
}

describe('apiKeys.create', () => {
  it('makes a key whose secret is found by its hash and shown nowhere else', async () => {
    const { keys, apiKeys, administration } = start();
    const { secret, key } = await keys.create(NEW_KEY);
    expect(secret).toMatch(new RegExp(`^${key.id}_[\\w-]{43}$`));
    expect(key).toEqual({
      id: expect.stringMatching(/^sg_[0-9a-f]{12}$/),
      ...NEW_KEY,
      limit: null,
      limitReset: null,
      allowedModels: null,
      budgets: [],
      domains: null,
      rateLimit: null,
      maxConcurrent: null,
      createdAtMs: NOW_MS,
      expiresAtMs: null,
      revokedAtMs: null,
    });
    expect(await apiKeys.findByHash(hashApiKey(secret))).toMatchObject({ id: key.id, organizationSuspended: false });
    expect(await keys.get(key.id)).toEqual(key);
    expect(await keys.list()).toEqual({ items: [key], nextCursor: null });
    const shown = JSON.stringify([await keys.list(), await administration.organizations.list()]);
    expect(shown).not.toContain(secret.slice(key.id.length + 1));
    expect(shown).not.toContain(hashApiKey(secret));
  });

  it('keeps everything that is given', async () => {
    const { keys } = start();
    const given = { limit: '5.00', limitReset: 'monthly', allowedModels: ['exa/answer'] } as const;
    const { key } = await keys.create({ ...NEW_KEY, ...given, expiresAt: '2027-01-31T01:00:00+01:00' });
    expect(key).toMatchObject({ ...given, limit: 5_000_000_000n, expiresAtMs: Date.UTC(2027, 0, 31) });
  });

  it('treats null as absent, 0 as a limit, and an empty list as no models', async () => {
    const { keys } = start();
    const nothing = { limit: null, limitReset: null, allowedModels: null, expiresAt: null };
    expect((await keys.create({ ...NEW_KEY, ...nothing })).key).toMatchObject({ limit: null, allowedModels: null });
    const { key } = await keys.create({ ...NEW_KEY, limit: '0', allowedModels: [] });
    expect(key).toMatchObject({ limit: 0n, allowedModels: [] });
  });

  it('makes another key when the public id is taken, and gives up when the second id is taken too', async () => {
    const registry = memoryApiKeys();
    const tried: string[] = [];
    let collisions = 1;
    const colliding = {
      ...registry,
      async insertKey(key: Parameters<typeof registry.insertKey>[0]) {
        tried.push(key.id);
        if (tried.length <= collisions) throw new LedgerError('duplicate_key', 'taken');
        return registry.insertKey(key);
      },
    };
    const { keys } = start(colliding);
    const { secret, key } = await keys.create(NEW_KEY);
    expect(key.id).toBe(tried[1]);
    expect(await registry.findByHash(hashApiKey(secret))).toMatchObject({ id: key.id });
    collisions = 4;
    await expect(keys.create(NEW_KEY)).rejects.toMatchObject({ reason: 'duplicate_key' });
    expect(new Set(tried).size).toBe(4);
  });

  it.each<[object, string]>([
    [{ limit: '5,00' }, 'invalid_amount'],
    [{ limit: '-1' }, 'invalid_amount'],
    [{ limit: 5 }, 'invalid_amount'],
    [{ limitReset: 'hourly', limit: '5' }, 'invalid_argument'],
    [{ limitReset: 'monthly' }, 'invalid_argument'],
    [{ limitReset: 'monthly', limit: null }, 'invalid_argument'],
    [{ label: '' }, 'invalid_argument'],
    [{ label: 'x'.repeat(201) }, 'invalid_argument'],
    [{ label: undefined }, 'invalid_argument'],
    [{ allowedModels: 'exa/answer' }, 'invalid_argument'],
    [{ expiresAt: '2027-01-31' }, 'invalid_argument'],
    [{ expiresAt: 'tomorrow' }, 'invalid_argument'],
    [{ expiresAt: '2026-11-21T00:00:00Z' }, 'invalid_argument'],
    [{ limits: '5.00' }, 'invalid_argument'],
    [{ organizationId: 'two words' }, 'invalid_id'],
  ])('refuses %j and stores nothing', async (changes, reason) => {
    const { keys, administration } = start();
    const fields = { ...NEW_KEY, ...changes } as NewApiKey;
    await expect(keys.create(fields)).rejects.toMatchObject({ name: 'AdministrationError', reason });
    expect((await keys.list()).items).toEqual([]);
    expect((await administration.organizations.list()).items).toEqual([]);
  });

  it('refuses a model that the gateway does not know, and suggests the one that was meant', async () => {
    const gateway = { invalidateKey: () => undefined, models: () => [{ id: 'exa/answer' }] };
    const { apiKeys: keys } = createAdministration({ ledger: memoryLedger(), apiKeys: memoryApiKeys(), gateway });
    const message = 'allowedModels: found "exa/anser", expected the slug of a model such as "exa/answer"';
    const { key } = await keys.create({ ...NEW_KEY, allowedModels: ['exa/answer'] });
    await expect(keys.create({ ...NEW_KEY, allowedModels: ['exa/anser'] })).rejects.toThrow(message);
    await expect(keys.update(key.id, { allowedModels: ['exa/answer', 'exa/anser'] })).rejects.toThrow(message);
    await expect(keys.create({ ...NEW_KEY, allowedModels: [7] } as never)).rejects.toThrow('allowedModels');
  });

  it('suggests the field that was meant', async () => {
    const fields = { ...NEW_KEY, limitreset: 'daily' } as NewApiKey;
    await expect(start().keys.create(fields)).rejects.toThrow('Did you mean "limitReset"?');
  });
});

describe('apiKeys.update', () => {
  it('changes the fields given and no others', async () => {
    const { keys } = start();
    const { key } = await keys.create({ ...NEW_KEY, limit: '1', limitReset: 'daily', allowedModels: ['exa/answer'] });
    let expected = key;
    const changes: [ApiKeyUpdate, Partial<typeof key>][] = [
      [{}, {}],
      [{ label: 'renamed' }, { label: 'renamed' }],
      [{ limit: '2.5' }, { limit: 2_500_000_000n }],
      [{ limitReset: 'weekly' }, { limitReset: 'weekly' }],
      [{ allowedModels: null }, { allowedModels: null }],
      [{ expiresAt: '2027-01-01T00:00:00Z' }, { expiresAtMs: Date.UTC(2027, 0, 1) }],
      [
        { limit: null, limitReset: null },
        { limit: null, limitReset: null },
      ],
      [
        { limit: '3', limitReset: 'monthly', expiresAt: null },
        { limit: 3_000_000_000n, limitReset: 'monthly', expiresAtMs: null },
      ],
    ];
    for (const [change, changed] of changes) {
      expected = { ...expected, ...changed };
      expect(await keys.update(key.id, change)).toEqual(expected);
      expect(await keys.get(key.id)).toEqual(expected);
    }
  });

  it.each<[object, string]>([
    [{ limit: 'five' }, 'invalid_amount'],
    [{ limitReset: 'monthly' }, 'invalid_argument'],
    [{ limitReset: 'monthly', limit: null }, 'invalid_argument'],
    [{ label: '' }, 'invalid_argument'],
    [{ organizationId: 'globex' }, 'invalid_argument'],
    [{ revokedAtMs: null }, 'invalid_argument'],
  ])('refuses %j for a key without a limit and changes nothing', async (change, reason) => {
    const { keys } = start();
    const { key } = await keys.create(NEW_KEY);
    await expect(keys.update(key.id, change as ApiKeyUpdate)).rejects.toMatchObject({
      name: 'AdministrationError',
      reason,
    });
    expect(await keys.get(key.id)).toEqual(key);
  });
});

it('refuses to remove a limit without its reset, and says how to do it', async () => {
  const { keys } = start();
  const { key } = await keys.create({ ...NEW_KEY, limit: '1', limitReset: 'daily' });
  await expect(keys.update(key.id, { limit: null })).rejects.toMatchObject({
    reason: 'invalid_argument',
    message: expect.stringContaining('set limitReset to null too') as string,
  });
  expect(await keys.get(key.id)).toEqual(key);
});

describe('apiKeys', () => {
  it('revokes permanently, and the first revocation stands', async () => {
    const { keys, clock } = start();
    const { key } = await keys.create(NEW_KEY);
    expect(await keys.revoke(key.id)).toEqual({ ...key, revokedAtMs: NOW_MS });
    await clock.advance(1_000);
    expect(await keys.revoke(key.id)).toEqual({ ...key, revokedAtMs: NOW_MS });
  });

  it('lists page by page, optionally of one organization', async () => {
    const { keys, clock } = start();
    for (const label of ['first', 'second', 'third']) {
      await keys.create({ ...NEW_KEY, label });
      await clock.advance(1);
    }
    await keys.create({ organizationId: 'globex', label: 'other' });
    const page = await keys.list({ organizationId: 'acme', limit: 2 });
    const rest = await keys.list({ organizationId: 'acme', cursor: page.nextCursor ?? 'none' });
    expect([...page.items, ...rest.items].map(({ label }) => label)).toEqual(['first', 'second', 'third']);
    expect(rest.nextCursor).toBeNull();
  });

  it('reports the usage and holds of a key, in the current window of its limit', async () => {
    const clock = createFakeClock(NOW_MS);
    const ledger = memoryLedger({ clock, credits: { acme: '10' } });
    const { apiKeys: keys } = createAdministration({ ledger, apiKeys: memoryApiKeys(), clock });
    const { key } = await keys.create({ ...NEW_KEY, limit: '5', limitReset: 'daily' });
    expect(await keys.totals(key)).toEqual({
      usage: 0n,
      held: 0n,
      windowUsage: 0n,
      resetsAtMs: limitWindowAt('daily', clock.now()).resetsAtMs,
    });
    const hold = {
      keyId: key.id,
      organizationId: 'acme',
      keyLimit: null,
      amount: 10n,
      expiresAtMs: NOW_MS + 1e9,
      model: 'exa/answer',
    };
    await ledger.hold({ ...hold, holdId: 'first' });
    await ledger.settle('first', { cost: 7n, model: 'exa/answer', provider: 'exa', costSource: 'flat' });
    await clock.advance(86_400_000);
    await ledger.hold({ ...hold, holdId: 'second' });
    expect(await keys.totals(key)).toEqual({
      usage: 7n,
      held: 10n,
      windowUsage: 0n,
      resetsAtMs: limitWindowAt('daily', clock.now()).resetsAtMs,
    });
    expect(await keys.totals({ ...key, limitReset: null })).toMatchObject({ windowUsage: 7n, resetsAtMs: null });
  });

  it('does not find an unknown key, and prints no secret that is given as an id', async () => {
    const { keys } = start();
    expect(await keys.get('sg_unknown')).toBeUndefined();
    const operations = [
      keys.revoke('sg_unknown'),
      keys.update('sg_unknown', {}),
      keys.update('x', { limitReset: 'daily' }),
    ];
    for (const operation of operations) await expect(operation).rejects.toMatchObject({ reason: 'unknown_key' });
    const { secret } = await keys.create(NEW_KEY);
    const mistaken: unknown = await keys.revoke(secret).catch((error: unknown) => error);
    expect(mistaken).toMatchObject({ reason: 'unknown_key', message: expect.not.stringContaining(secret) });
    await expect(keys.get('two words')).rejects.toMatchObject({ reason: 'invalid_id' });
  });
});
