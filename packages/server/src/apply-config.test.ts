import { hashApiKey, memoryApiKeys, memoryLedger } from '@searchgate/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ApplyOptions, applyConfig } from './apply-config.js';
import { parseConfig, type ServerConfig } from './config-file.js';
import { configuredKeys } from './configured-keys.js';

const secret = 'sg_a_key_of_the_apply_config_tests';
const id = `sg_${hashApiKey(secret).slice(0, 12)}`;
const key = { secret, label: 'key', organizationId: 'acme', limit: '1.00' };
const perMinute = { requests: 60, periodMs: 60_000 };
const organizations = [{ id: 'acme', credits: '5.00' }];

describe('applyConfig', () => {
  let store = { ledger: memoryLedger(), apiKeys: memoryApiKeys() };
  let logged: unknown[] = [];
  beforeEach(() => {
    store = { ledger: memoryLedger(), apiKeys: memoryApiKeys() };
    logged = [];
  });

  const log = {
    info: (fields: object, message: string) => logged.push({ ...fields, message }),
    warn: (fields: object, message: string) => logged.push({ ...fields, message }),
  };

  async function apply(apiKeys: ServerConfig['apiKeys'], options: Partial<ApplyOptions> = {}) {
    await applyConfig(
      store,
      { organizations, keys: await configuredKeys({ apiKeys }) },
      { log, nowMs: 1_000, ...options },
    );
  }

  it('writes organizations, credits and keys, and changes nothing at the next start', async () => {
    await apply([key]);
    const first = await store.apiKeys.findKey(id);
    expect(first).toMatchObject({ label: 'key', limit: 1_000_000_000n, createdAtMs: 1_000, revokedAtMs: null });
    expect(await store.apiKeys.findOrganization('acme')).toMatchObject({ suspendedAtMs: null });

    await apply([key], { nowMs: 2_000 });
    expect(await store.apiKeys.findKey(id)).toEqual(first);
    expect(await store.ledger.organizationTotals('acme')).toMatchObject({ credits: 5_000_000_000n });
    expect(logged).toEqual([]);
  });

  it('sets domains, and clears those of a key that the file no longer has; an organization keeps its own', async () => {
    const given = {
      organizations: [{ id: 'acme', credits: '5.00', domains: { never: ['Ads.example'] } }],
      apiKeys: [{ ...key, domains: { only: ['B\u00fccher.example'] } }],
    };
    const { apiKeys, organizations: wanted } = parseConfig(given, {});
    const start = async () => {
      const keys = await configuredKeys({ apiKeys });
      await applyConfig(store, { organizations: wanted, keys }, { log, nowMs: 1_000 });
      return [(await store.apiKeys.findKey(id))?.domains, (await store.apiKeys.findOrganization('acme'))?.domains];
    };
    const rules = [{ only: ['xn--bcher-kva.example'] }, { never: ['ads.example'] }];
    expect(await start()).toEqual(rules);
    expect([await start(), logged]).toEqual([rules, []]);
    await apply([key]);
    expect(await store.apiKeys.findKey(id)).toMatchObject({ domains: null });
    expect(await store.apiKeys.findOrganization('acme')).toMatchObject({ domains: rules[1] });
    const wrong = {
      ...given,
      organizations: [{ id: 'acme', credits: null, domains: { only: ['https://a.example'] } }],
    };
    expect(() => parseConfig(wrong, {})).toThrow('organizations[0].domains: found an object, expected { only: [...] }');
  });

  it('may run in several processes at once', async () => {
    await Promise.all([apply([key]), apply([key]), apply([key])]);
    expect((await store.apiKeys.listKeys()).items).toHaveLength(1);
    expect(await store.ledger.organizationTotals('acme')).toMatchObject({ credits: 5_000_000_000n });
  });

  it('changes and logs the fields that differ', async () => {
    await apply([key]);
    await apply([
      {
        ...key,
        label: 'site',
        limit: '2.00',
        limitReset: 'daily',
        allowedModels: ['local/docs'],
        rateLimit: perMinute,
        maxConcurrent: 4,
        expiresAt: '2030-01-01T00:00:00Z',
      },
    ]);
    expect(await store.apiKeys.findKey(id)).toMatchObject({
      label: 'site',
      limit: 2_000_000_000n,
      limitReset: 'daily',
      allowedModels: ['local/docs'],
      rateLimit: perMinute,
      maxConcurrent: 4,
      expiresAtMs: Date.UTC(2030, 0, 1),
      createdAtMs: 1_000,
    });
    expect(logged).toEqual([
      expect.objectContaining({
        keyId: id,
        fields: ['label', 'limit', 'limitReset', 'allowedModels', 'rateLimit', 'maxConcurrent', 'expiresAtMs'],
      }),
    ]);
  });

  it('removes limits of a key that the configuration no longer names', async () => {
    await apply([{ ...key, rateLimit: perMinute, maxConcurrent: 4 }]);
    await apply([{ ...key, rateLimit: { ...perMinute } }]);
    expect(await store.apiKeys.findKey(id)).toMatchObject({ rateLimit: perMinute, maxConcurrent: null });
    expect(logged).toEqual([expect.objectContaining({ fields: ['maxConcurrent'] })]);
  });

  it('sets the limits of organizations that the configuration names, and no others', async () => {
    const applyLimits = async (limits: object) => {
      await applyConfig(
        store,
        { organizations: [{ id: 'acme', credits: '5.00', ...limits }], keys: [] },
        { log, nowMs: 1 },
      );
      const { rateLimit, maxConcurrent } = (await store.apiKeys.findOrganization('acme')) ?? {};
      return { rateLimit, maxConcurrent };
    };
    expect(await applyLimits({ rateLimit: perMinute })).toEqual({ rateLimit: perMinute, maxConcurrent: null });
    expect(await applyLimits({ maxConcurrent: 4 })).toEqual({ rateLimit: perMinute, maxConcurrent: 4 });
    expect(await applyLimits({ rateLimit: { ...perMinute }, maxConcurrent: 4 })).toEqual({
      rateLimit: perMinute,
      maxConcurrent: 4,
    });
    expect(await applyLimits({ rateLimit: null })).toEqual({ rateLimit: null, maxConcurrent: 4 });
    const message = 'the organization was changed by the configuration';
    expect(logged).toEqual([
      { organization: 'acme', fields: ['maxConcurrent'], message },
      { organization: 'acme', fields: ['rateLimit'], message },
    ]);
  });

  it('sets and changes budgets, and the keys that name them', async () => {
    const budget = { organizationId: 'acme', id: 'team', limit: '5.00', limitReset: 'monthly' } as const;
    const applyBudgets = async (budgets: ServerConfig['budgets'], names: string[], nowMs: number) => {
      const keys = await configuredKeys({ apiKeys: [{ ...key, budgets: names }] });
      await applyConfig(store, { organizations, budgets, keys }, { log, nowMs });
      return store.apiKeys.findBudget('acme', 'team');
    };
    const set = { organizationId: 'acme', id: 'team', limit: 5_000_000_000n, mode: 'enforce', createdAtMs: 1_000 };
    for (const nowMs of [1_000, 2_000])
      expect(await applyBudgets([budget], ['team'], nowMs)).toEqual({ ...set, limitReset: 'monthly' });
    expect(await store.apiKeys.findKey(id)).toMatchObject({ budgets: ['team'] });
    expect(logged).toEqual([]);

    const changed = { organizationId: 'acme', id: 'team', limit: '7.00', mode: 'warn' } as const;
    const other = { ...budget, id: 'user:ada' };
    const wanted = { ...set, limit: 7_000_000_000n, limitReset: null, mode: 'warn' };
    expect(await applyBudgets([other, changed], ['user:ada', 'team'], 3_000)).toEqual(wanted);
    expect(await store.apiKeys.findKey(id)).toMatchObject({ budgets: ['user:ada', 'team'] });
    expect(logged.splice(0)).toEqual([
      {
        organization: 'acme',
        budget: 'team',
        fields: ['limit', 'limitReset', 'mode'],
        message: 'the budget was changed by the configuration',
      },
      { keyId: id, fields: ['budgets'], message: 'the key was changed by the configuration' },
    ]);
    expect(await applyBudgets([], [], 4_000)).toEqual(wanted);
    expect(await store.apiKeys.findKey(id)).toMatchObject({ budgets: [] });
  });

  it('revokes, and cannot bring a revoked key back', async () => {
    await apply([key]);
    await apply([{ ...key, revoked: true }], { nowMs: 2_000 });
    await apply([{ ...key, revoked: true }], { nowMs: 3_000 });
    await apply([key], { nowMs: 4_000 });
    expect(await store.apiKeys.findKey(id)).toMatchObject({ revokedAtMs: 2_000 });
    expect(logged).toEqual([
      expect.objectContaining({ fields: ['revokedAtMs'] }),
      expect.objectContaining({ message: 'the key is revoked in the ledger, which the configuration cannot undo' }),
    ]);
  });

  it('leaves a suspended organization suspended', async () => {
    await apply([key]);
    await store.apiKeys.updateOrganization('acme', { suspendedAtMs: 1_500 });
    await apply([key]);
    expect(await store.apiKeys.findByHash(hashApiKey(secret))).toMatchObject({ organizationSuspended: true });
  });

  it('neither warns about nor changes keys and credits without a configuration, as in the demo', async () => {
    const other = { ...key, secret: `${secret}_of_keys_create`, label: 'made by keys create' };
    await apply([other]);
    await store.ledger.grant({ grantId: 'more', organizationId: 'acme', amount: 7_000_000_000n, note: '' });
    await apply([key], { changesKeys: false });
    expect(logged).toEqual([]);
  });

  it('leaves keys unchanged that the configuration does not name, and logs them', async () => {
    await apply([key]);
    const other = { ...key, secret: 'sg_another_key_of_the_apply_tests', label: 'other' };
    await apply([other]);
    expect(await store.apiKeys.findKey(id)).toMatchObject({ revokedAtMs: null });
    expect(logged).toEqual([
      { keys: 1, message: 'the ledger has keys that the configuration does not name; they are unchanged' },
    ]);
  });

  it('keeps an administrator’s changes to keys if so configured', async () => {
    await apply([key]);
    await store.apiKeys.updateKey(id, { limit: 9n });
    await apply([key], { changesKeys: false });
    expect(await store.apiKeys.findKey(id)).toMatchObject({ limit: 9n });
  });

  it('refuses a new key of the past on a ledger that lasts, but not a key that has expired there', async () => {
    const past = [{ ...key, expiresAt: '2025-01-01T00:00:00Z' }];
    const nowMs = Date.now();
    await expect(apply(past, { refusesExpired: true, nowMs })).rejects.toThrow(
      'apiKeys[0].expiresAt: found 2025-01-01T00:00:00.000Z, expected a time to come',
    );
    await expect(apply([{ ...past[0]!, revoked: true }], { refusesExpired: true, nowMs })).resolves.toBeUndefined();
    await expect(apply(past, { refusesExpired: true, nowMs })).resolves.toBeUndefined();
  });

  it('refuses to move a key to another organization', async () => {
    await apply([key]);
    await expect(apply([{ ...key, organizationId: 'globex' }])).rejects.toThrow(
      `apiKeys[0].organizationId: found "globex", expected "acme", to which the key ${id} belongs in the ledger`,
    );
  });

  it('refuses a known secret under a new id, and a known id with a new secret', async () => {
    const record = { organizationId: 'acme', label: 'x', limit: null, limitReset: null, allowedModels: null };
    const times = { createdAtMs: 1, expiresAtMs: null, revokedAtMs: null };
    await store.apiKeys.insertKey({ ...record, ...times, id: 'by-hand', hash: hashApiKey(secret) });
    await expect(apply([key])).rejects.toThrow('the ledger has the key by-hand already');

    const own = 'sg_0123456789ab_a-secret-of-the-apply-config-tests';
    await store.apiKeys.insertKey({ ...record, ...times, id: 'sg_0123456789ab', hash: 'cd'.repeat(32) });
    await expect(apply([{ ...key, secret: own }])).rejects.toThrow('the ledger has the key sg_0123456789ab already');
  });
});
