import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import type { NewOrganization } from './administration.js';
import { createAdministration } from './create-administration.js';

const NOW_MS = Date.UTC(2026, 10, 21);
const ACME = {
  id: 'acme',
  name: 'Acme',
  createdAtMs: NOW_MS,
  suspendedAtMs: null,
  rateLimit: null,
  maxConcurrent: null,
  operatorPays: false,
  domains: null,
};

function start() {
  const clock = createFakeClock(NOW_MS);
  const apiKeys = memoryApiKeys();
  const invalidated: string[] = [];
  const gateway = { invalidateKey: (hash: string) => void invalidated.push(hash) };
  const administration = createAdministration({ ledger: memoryLedger({ clock }), apiKeys, gateway, clock });
  return { clock, apiKeys, invalidated, administration, organizations: administration.organizations };
}

describe('organizations', () => {
  it('creates an organization', async () => {
    const { organizations } = start();
    expect(await organizations.create({ id: 'acme', name: 'Acme' })).toEqual(ACME);
    expect(await organizations.get('acme')).toEqual({ ...ACME, credits: 0n, usage: 0n, held: 0n });
  });

  it('returns a known organization unchanged', async () => {
    const { organizations, clock } = start();
    await organizations.create({ id: 'acme', name: 'Acme' });
    await organizations.suspend('acme');
    await clock.advance(1_000);
    const known = { ...ACME, suspendedAtMs: NOW_MS };
    expect(await organizations.create({ id: 'acme', name: 'Another' })).toEqual(known);
    expect(await organizations.create({ id: 'acme' })).toEqual(known);
  });

  it('names an organization that a grant or a key created', async () => {
    const { organizations, administration, clock } = start();
    await administration.grant({ organizationId: 'acme', amount: '1' });
    await clock.advance(1_000);
    expect(await organizations.create({ id: 'acme', name: 'Acme' })).toEqual(ACME);
  });

  it('suspends and resumes, and the first suspension stands', async () => {
    const { organizations, clock } = start();
    await organizations.create({ id: 'acme', name: 'Acme' });
    expect(await organizations.suspend('acme')).toEqual({ ...ACME, suspendedAtMs: NOW_MS });
    await clock.advance(1_000);
    expect(await organizations.suspend('acme')).toEqual({ ...ACME, suspendedAtMs: NOW_MS });
    expect(await organizations.resume('acme')).toEqual(ACME);
    expect(await organizations.resume('acme')).toEqual(ACME);
  });

  it('changes the fields given and no others', async () => {
    const { organizations } = start();
    await organizations.create({ id: 'acme', name: 'Acme', maxConcurrent: 4, operatorPays: true });
    const rateLimit = { requests: 60, periodMs: 60_000 };
    const limited = { ...ACME, rateLimit, maxConcurrent: 4, operatorPays: true };
    expect(await organizations.update('acme', { rateLimit })).toEqual(limited);
    expect(await organizations.update('acme', {})).toEqual(limited);
    expect(
      await organizations.update('acme', { rateLimit: null, maxConcurrent: null, name: null, operatorPays: false }),
    ).toEqual({
      ...ACME,
      name: null,
    });
    expect(await organizations.get('acme')).toMatchObject({ name: null, rateLimit: null });
    await expect(organizations.update('globex', { name: 'x' })).rejects.toMatchObject({
      reason: 'unknown_organization',
    });
  });

  it('invalidates every key of the organization in the gateway, and no other key', async () => {
    const { organizations, administration, apiKeys, invalidated } = start();
    await administration.apiKeys.create({ organizationId: 'globex', label: 'other' });
    const { key } = await administration.apiKeys.create({ organizationId: 'acme', label: 'ci' });
    const hashes = Array.from({ length: 1_001 }, (_, index) => index.toString(16).padStart(64, '0'));
    for (const [index, hash] of hashes.entries()) {
      await apiKeys.insertKey({ ...key, id: `key-${index}`, hash, createdAtMs: index });
    }
    const changes = [
      () => organizations.suspend('acme'),
      () => organizations.resume('acme'),
      () => organizations.update('acme', { maxConcurrent: 1 }),
    ];
    for (const change of changes) {
      invalidated.length = 0;
      await change();
      const created = (await apiKeys.findKey(key.id))?.hash;
      expect(invalidated).toEqual([...hashes, created]);
    }
  });

  it('lists page by page', async () => {
    const { organizations, clock } = start();
    for (const id of ['b', 'a', 'c']) {
      await organizations.create({ id });
      await clock.advance(1);
    }
    const page = await organizations.list({ limit: 2 });
    const rest = await organizations.list({ cursor: page.nextCursor ?? 'none' });
    expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual(['b', 'a', 'c']);
    await expect(organizations.list({ cursor: 'nonsense' })).rejects.toMatchObject({ reason: 'invalid_cursor' });
  });

  it('does not find an unknown organization', async () => {
    const { organizations } = start();
    expect(await organizations.get('acme')).toBeUndefined();
    for (const operation of ['suspend', 'resume'] as const) {
      await expect(organizations[operation]('acme')).rejects.toMatchObject({ reason: 'unknown_organization' });
    }
  });

  it.each<[unknown, string]>([
    [{ id: 'two words' }, 'invalid_id'],
    [{}, 'invalid_id'],
    [{ id: 'acme', name: 'x'.repeat(1_001) }, 'invalid_argument'],
    [{ id: 'acme', credits: '5' }, 'invalid_argument'],
    ['acme', 'invalid_argument'],
    [null, 'invalid_argument'],
  ])('refuses to create %j', async (fields, reason) => {
    const { organizations } = start();
    await expect(organizations.create(fields as NewOrganization)).rejects.toMatchObject({ reason });
    expect((await organizations.list()).items).toEqual([]);
  });
});
