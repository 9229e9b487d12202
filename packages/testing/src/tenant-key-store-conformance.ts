import assert from 'node:assert/strict';
import type { SealedKey, TenantKeyStore } from '@searchgate/core/ledger';
import { assertRefused } from './assert-refused.js';
import { BAD_IDS } from './bad-values.js';
import { type TestRunner, testsOf } from './test-runner.js';

/** A fresh store and the means of a test to handle it. */
export interface TenantKeyStoreUnderTest {
  /** Empty, used by this test alone. */
  readonly store: TenantKeyStore;
  /** Opens another handle on the same keys, like a second process. Default: the same handle. */
  readonly connect?: (() => Promise<TenantKeyStore>) | undefined;
  /** Cleans up, whatever the test did. Called once, after the test. */
  readonly dispose: () => Promise<void>;
}

/** The store under test, and the test runner. */
export interface TenantKeyStoreConformanceOptions extends TestRunner {
  /** Called once per test. */
  readonly create: () => Promise<TenantKeyStoreUnderTest>;
}

function sealedOf(change: Partial<SealedKey> = {}): SealedKey {
  const ids = { organizationId: 'acme', providerId: 'exa' };
  return { ...ids, sealed: 'v1.one', hostKeyId: 'host-1', lastCharacters: '9f3a', createdAtMs: 1_000, ...change };
}

/** Registers the tests that every store of vendor keys has to pass: `memoryTenantKeyStore` is the reference. */
export function tenantKeyStoreConformance({ describe, it, create }: TenantKeyStoreConformanceOptions): void {
  const test = testsOf(it, create);

  describe('the store of vendor keys', () => {
    test('keeps, replaces and deletes the key of an organization at a provider', async (under) => {
      const { store } = under;
      const other = (await under.connect?.()) ?? store;
      assert.deepEqual(await store.list('acme'), []);
      assert.equal(await store.put(sealedOf()), true);
      assert.deepEqual(await other.list('acme'), [sealedOf()]);
      const sealed = `v1.${'x'.repeat(990)}`;
      const changed = sealedOf({ sealed, hostKeyId: 'host-2', lastCharacters: '', createdAtMs: 2 });
      assert.equal(await other.put(changed), true);
      assert.deepEqual(await store.list('acme'), [changed]);
      assert.deepEqual([await other.delete('globex', 'exa'), await other.delete('acme', 'tavily')], [false, false]);
      assert.deepEqual([await other.delete('acme', 'exa'), await other.delete('acme', 'exa')], [true, false]);
      assert.deepEqual(await store.list('acme'), []);
    });

    test('lists the keys of one organization by the bytes of the provider', async ({ store }) => {
      const own = ['you', 'exa', 'z-ai', 'brave'].map((providerId) => sealedOf({ providerId }));
      for (const key of [...own, sealedOf({ organizationId: 'globex' })]) await store.put(key);
      const listed = await store.list('acme');
      assert.deepEqual(
        listed.map(({ providerId }) => providerId),
        ['brave', 'exa', 'you', 'z-ai'],
      );
    });

    test('seals again only what is still sealed as before', async ({ store }) => {
      await store.put(sealedOf());
      await store.put(sealedOf({ providerId: 'tavily', hostKeyId: 'host-2' }));
      assert.deepEqual(await store.listSealedByOthers('host-2'), [sealedOf()]);
      const again = sealedOf({ sealed: 'v1.two', hostKeyId: 'host-2' });
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => store.put(again, 'v1.one')));
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal(await store.put(sealedOf({ sealed: 'v1.late' }), 'v1.one'), false);
      assert.equal(await store.put(sealedOf({ organizationId: 'globex' }), 'v1.one'), false);
      assert.deepEqual((await store.list('acme'))[0], again);
      assert.deepEqual(await store.list('globex'), []);
      assert.deepEqual(await store.listSealedByOthers('host-2'), []);
    });

    test('refuses malformed arguments, and changes nothing', async ({ store }) => {
      await store.put(sealedOf());
      for (const id of BAD_IDS) {
        await assertRefused('invalid_id', () => store.put(sealedOf({ organizationId: id })));
        await assertRefused('invalid_id', () => store.put(sealedOf({ providerId: id })));
        await assertRefused('invalid_id', () => store.list(id));
        await assertRefused('invalid_id', () => store.delete(id, 'exa'));
      }
      await assertRefused('invalid_argument', () => store.put(sealedOf({ sealed: 'x'.repeat(1_001) })));
      await assertRefused('invalid_argument', () => store.put(sealedOf({ createdAtMs: -1 })));
      assert.deepEqual(await store.list('acme'), [sealedOf()]);
    });
  });
}
