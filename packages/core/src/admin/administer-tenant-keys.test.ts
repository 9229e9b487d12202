import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encryptedTenantKeys } from '../auth/encrypted-tenant-keys.js';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { memoryTenantKeyStore } from '../auth/tenant-key-store.js';
import { systemClock } from '../base/time/clock.js';
import { memoryAuditLog } from '../ledger/audit-log.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import type { Administration } from './administration.js';
import { createAdministration } from './create-administration.js';

const KEY = 'sk-live-0123456789abcdef';
const PROVIDERS = [{ id: 'exa', ownKeys: true }, { id: 'tavily', ownKeys: true }, { id: 'searxng' }];

async function start() {
  const vault = encryptedTenantKeys({ store: memoryTenantKeyStore(), secrets: [randomBytes(32).toString('base64')] });
  let nowMs = Date.UTC(2026, 10, 29);
  const clock = { ...systemClock, now: () => (nowMs += 1) };
  const ports = { clock, ledger: memoryLedger(), apiKeys: memoryApiKeys(), auditLog: memoryAuditLog() };
  const changed: string[] = [];
  const gateway = { invalidateKey: () => undefined, invalidateTenantKey: (...of: string[]) => changed.push(of.join()) };
  const administration = createAdministration({ ...ports, gateway, tenantKeys: { vault, providers: PROVIDERS } });
  await administration.organizations.create({ id: 'acme' });
  const records = async () => (await administration.changes.find({})).records.toReversed().slice(1);
  return { administration, vault, records, changed };
}

describe('tenantKeys', () => {
  it('sets, lists, deletes and erases keys, and records who did, never a key', async () => {
    const { administration, vault, records, changed } = await start();
    const { tenantKeys } = administration.as('ada');
    expect(tenantKeys.providers).toEqual(['exa', 'tavily']);
    expect(await tenantKeys.set('acme', 'exa', KEY)).toMatchObject({ providerId: 'exa', lastCharacters: 'cdef' });
    expect(await vault.find('acme', 'exa')).toEqual({ apiKey: KEY });
    await tenantKeys.set('acme', 'exa', `${KEY}-2`);
    expect(await tenantKeys.list('acme')).toMatchObject([{ providerId: 'exa', lastCharacters: 'ef-2' }]);
    expect(await tenantKeys.delete('acme', 'exa')).toBe(true);
    await tenantKeys.set('acme', 'tavily', KEY);
    expect(changed).toEqual(['acme,exa', 'acme,exa', 'acme,exa', 'acme,tavily']);
    expect([await tenantKeys.erase('acme'), await vault.find('acme', 'tavily')]).toEqual([1, undefined]);
    expect(await tenantKeys.reseal()).toEqual({ resealed: 0, unreadable: [] });
    const found = await records();
    expect(found).toMatchObject([
      { action: 'tenant_key.set', actor: 'ada', before: null, after: { providerId: 'exa', lastCharacters: 'cdef' } },
      { action: 'tenant_key.set', before: { lastCharacters: 'cdef' }, after: { lastCharacters: 'ef-2' } },
      { action: 'tenant_key.delete', given: { providerId: 'exa' }, before: { lastCharacters: 'ef-2' }, after: null },
      { action: 'tenant_key.set' },
      { action: 'tenant_keys.erase', outcome: 'made' },
    ]);
    expect(JSON.stringify(found)).not.toContain(KEY.slice(0, 9));
  });

  it.each<[string, readonly [string, string, string], object]>([
    ['an unknown organization', ['acm', 'exa', KEY], { reason: 'unknown_organization' }],
    ['no id of an organization', ['a b', 'exa', KEY], { reason: 'invalid_id' }],
    ['an unknown provider', ['acme', 'exo', KEY], { message: expect.stringContaining('a key: exa, tavily') as string }],
    ['a provider that needs more than a key', ['acme', 'searxng', KEY], { reason: 'invalid_argument' }],
    ['a key with a space', ['acme', 'exa', `${KEY} `], { reason: 'invalid_argument' }],
    ['a key in the place of the provider', ['acme', KEY, 'exa'], { reason: 'invalid_argument' }],
    ['nothing', ['acme', undefined as unknown as string, KEY], { reason: 'invalid_argument' }],
  ])('refuses %s: neither error nor record shows a key', async (_name, given, expected) => {
    const { administration, records } = await start();
    const error = await administration.tenantKeys.set(...given).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'AdministrationError', ...expected });
    expect(`${(error as Error).stack}${JSON.stringify(await records())}`).not.toContain(KEY.slice(0, 9));
    expect(await administration.tenantKeys.list('acme')).toEqual([]);
  });

  it('trusts the organizations of a host without a registry, and is null without a vault', async () => {
    const ledger = memoryLedger();
    const vault = encryptedTenantKeys({ store: memoryTenantKeyStore(), secrets: [randomBytes(32).toString('base64')] });
    const { tenantKeys } = createAdministration({ ledger, tenantKeys: { vault, providers: PROVIDERS } });
    expect(await tenantKeys.set('any', 'exa', KEY)).toMatchObject({ lastCharacters: 'cdef' });
    const bare: Administration = createAdministration({ ledger });
    expect(bare.tenantKeys).toBeNull();
  });
});

it('sets domains of organizations and keys, normalized, and records them', async () => {
  const { administration, records } = await start();
  const { organizations, apiKeys } = administration;
  const only = { only: ['xn--bcher-kva.example'] };
  expect((await organizations.create({ id: 'globex', domains: { only: ['Bücher.example'] } })).domains).toEqual(only);
  expect((await organizations.update('acme', { domains: { never: ['B.example'] } })).domains).toEqual({
    never: ['b.example'],
  });
  const { key } = await apiKeys.create({ organizationId: 'acme', label: 'a', domains: { only: ['Bücher.example'] } });
  expect(key.domains).toEqual(only);
  expect((await apiKeys.update(key.id, { label: 'b' })).domains).toEqual(only);
  expect((await apiKeys.update(key.id, { domains: null })).domains).toBeNull();
  expect((await organizations.update('acme', { domains: null })).domains).toBeNull();
  const wrong = { only: ['https://b.example'] };
  for (const refused of [
    organizations.update('acme', { domains: wrong }),
    organizations.create({ id: 'new', domains: wrong }),
    apiKeys.update(key.id, { domains: wrong }),
    apiKeys.create({ organizationId: 'acme', label: 'c', domains: wrong }),
  ])
    await expect(refused).rejects.toMatchObject({ reason: 'invalid_argument', name: 'AdministrationError' });
  expect((await records()).slice(0, 3)).toMatchObject([
    { action: 'organization.create', after: { domains: only } },
    { action: 'organization.update', before: { domains: null }, after: { domains: { never: ['b.example'] } } },
    { action: 'key.create', after: { domains: only } },
  ]);
});
