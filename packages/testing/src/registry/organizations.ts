import assert from 'node:assert/strict';
import type { OrganizationChange } from '@searchgate/core/ledger';
import { assertFound, assertNoChange, CREATED_AT_MS, keyOf, organizationOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

const LIMITS: readonly OrganizationChange[] = [
  { rateLimit: { requests: 60, periodMs: 1_000 } },
  { maxConcurrent: 4 },
  { rateLimit: { requests: 1, periodMs: 86_400_000 }, maxConcurrent: 1_000_000 },
  { operatorPays: true },
  { domains: { only: ['example.org'] } },
  { domains: { never: ['example.org'] } },
  { rateLimit: null },
  { maxConcurrent: null },
  { operatorPays: false },
  { domains: null },
];

const NAMES = ['', 'Acme GmbH & Co. KG', "O'Neill 株式会社 🏢", null];

/** Organizations: created explicitly or by their first key, and suspended with all present and future keys. */
export function registerOrganizations(suite: RegistrySuite): void {
  suite.describe('organizations', () => {
    registerKnowing(suite);
    registerSuspension(suite);
  });
}

function registerKnowing({ test, testOfTwo }: RegistrySuite): void {
  test('knows nothing of an organization never seen', async ({ registry }) => {
    assert.equal(await registry.findOrganization('acme'), undefined);
    assert.equal(await registry.updateOrganization('acme', { name: 'Acme' }), undefined);
    assert.deepEqual(await registry.listOrganizations(), { items: [], nextCursor: null });
  });

  testOfTwo('keeps an organization exactly as it was inserted', async (registry, other) => {
    for (const [index, name] of NAMES.entries()) {
      const organization = organizationOf({ id: `org-${index}`, name, suspendedAtMs: index === 0 ? null : index });
      assert.equal(await registry.insertOrganization(organization), true);
      assert.deepEqual(await other.findOrganization(organization.id), organization);
    }
  });

  test('keeps an organization without the fields that may be absent', async ({ registry }) => {
    const { id, name, createdAtMs, suspendedAtMs } = organizationOf();
    assert.equal(await registry.insertOrganization({ id, name, createdAtMs, suspendedAtMs }), true);
    assert.deepEqual(await registry.findOrganization(id), organizationOf());
  });

  test('leaves a known organization unchanged', async ({ registry }) => {
    await registry.insertOrganization(organizationOf({ name: 'Acme', suspendedAtMs: 5 }));
    await assertNoChange(registry, async () => {
      assert.equal(await registry.insertOrganization(organizationOf({ name: 'Other', createdAtMs: 9 })), false);
    });
  });

  testOfTwo('lets exactly one of 20 insertions at once be the first', async (registry, other) => {
    const organizations = Array.from({ length: 20 }, (_, index) => organizationOf({ name: `name ${index}` }));
    const news = await Promise.all(
      organizations.map((organization, index) => (index % 2 === 0 ? registry : other).insertOrganization(organization)),
    );
    assert.equal(news.filter(Boolean).length, 1);
    assert.deepEqual((await registry.listOrganizations()).items, [organizations[news.indexOf(true)]]);
  });

  testOfTwo('changes the fields given and no others', async (registry, other) => {
    await registry.insertOrganization(organizationOf());
    let expected = organizationOf();
    for (const change of [
      {},
      { name: 'Acme' },
      { suspendedAtMs: 7 },
      { name: null },
      ...LIMITS,
      { suspendedAtMs: null },
    ]) {
      expected = { ...expected, ...change };
      assert.deepEqual(await registry.updateOrganization('acme', change), expected);
      assert.deepEqual(await other.findOrganization('acme'), expected);
    }
  });

  testOfTwo('lets changes of name and suspension at once both stand', async (registry, other) => {
    for (const id of ['org-1', 'org-2', 'org-3', 'org-4']) {
      await registry.insertOrganization(organizationOf({ id }));
      await Promise.all([
        registry.updateOrganization(id, { name: 'Acme' }),
        other.updateOrganization(id, { suspendedAtMs: 7 }),
      ]);
      assert.deepEqual(await registry.findOrganization(id), organizationOf({ id, name: 'Acme', suspendedAtMs: 7 }));
    }
  });

  testOfTwo('makes an organization known by its first key', async (registry, other) => {
    await registry.insertKey(keyOf({ createdAtMs: CREATED_AT_MS + 5 }));
    const implied = organizationOf({ createdAtMs: CREATED_AT_MS + 5 });
    assert.deepEqual(await other.findOrganization('acme'), implied);
    await registry.insertKey(keyOf({ id: 'key-2', createdAtMs: CREATED_AT_MS }));
    assert.deepEqual((await other.listOrganizations()).items, [implied]);
    assert.equal(await other.insertOrganization(organizationOf({ name: 'Acme' })), false);
  });

  testOfTwo('makes an organization known once by 20 keys at once', async (registry, other) => {
    const ids = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    await Promise.all(ids.map((id, index) => (index % 2 === 0 ? registry : other).insertKey(keyOf({ id }))));
    assert.deepEqual((await registry.listOrganizations()).items, [organizationOf()]);
    assert.equal((await other.listKeys()).items.length, 20);
  });
}

function registerSuspension({ test, testOfTwo }: RegistrySuite): void {
  testOfTwo('suspends and resumes every key of an organization and no other', async (registry, other) => {
    const mine = [keyOf(), keyOf({ id: 'key-2', limit: 5n })];
    const stranger = keyOf({ id: 'key-3', organizationId: 'globex' });
    for (const key of [...mine, stranger]) await registry.insertKey(key);
    for (const suspendedAtMs of [CREATED_AT_MS, null, 0, null]) {
      await registry.updateOrganization('acme', { suspendedAtMs });
      for (const key of mine) await assertFound(other, key, { suspendedAtMs });
      await assertFound(other, stranger);
    }
  });

  testOfTwo('finds the limits of its organization with every key', async (registry, other) => {
    await registry.insertOrganization(organizationOf());
    await registry.insertKey(keyOf({ rateLimit: { requests: 5, periodMs: 60_000 } }));
    const organization = { rateLimit: { requests: 60, periodMs: 60_000 }, maxConcurrent: 3, operatorPays: true };
    await registry.updateOrganization('acme', organization);
    await assertFound(other, keyOf({ rateLimit: { requests: 5, periodMs: 60_000 } }), organization);
    await registry.updateOrganization('acme', { rateLimit: null, maxConcurrent: null, operatorPays: false });
    await assertFound(other, keyOf({ rateLimit: { requests: 5, periodMs: 60_000 } }));
  });

  test('keeps a suspended organization suspended when it gets a key', async ({ registry }) => {
    await registry.insertOrganization(organizationOf({ name: 'Acme', suspendedAtMs: 5 }));
    await registry.insertKey(keyOf());
    await assertFound(registry, keyOf(), { suspendedAtMs: 5 });
    assert.deepEqual(await registry.findOrganization('acme'), organizationOf({ name: 'Acme', suspendedAtMs: 5 }));
  });
}
