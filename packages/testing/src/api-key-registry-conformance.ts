import assert from 'node:assert/strict';
import { assertRefused } from './assert-refused.js';
import { registerArguments } from './registry/arguments.js';
import { registerBudgets } from './registry/budgets.js';
import { registerDomains } from './registry/domains.js';
import { registerKeys } from './registry/keys.js';
import { registerLists } from './registry/lists.js';
import { registerOrganizations } from './registry/organizations.js';
import { assertFound, CREATED_AT_MS, FULL_KEY, hashOf, keyOf, organizationOf } from './registry/records.js';
import {
  type ApiKeyRegistryConformanceOptions,
  createRegistrySuite,
  type RegistrySuite,
} from './registry/registry-suite.js';

/**
 * The contract of `ApiKeyRegistry` as tests: every guarantee in the documentation of the port. With `supports.connections`, changes through
 * one handle are checked through another, and parallel calls use both.
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * apiKeyRegistryConformance({ describe, it, create: createMyRegistry, supports: { connections: true } });
 * ```
 *
 * Tests are independent of each other and may run concurrently.
 */
export function apiKeyRegistryConformance(options: ApiKeyRegistryConformanceOptions): void {
  const suite = createRegistrySuite(options);
  suite.describe('key registry contract', () => {
    registerKeys(suite);
    registerOrganizations(suite);
    registerLists(suite);
    registerArguments(suite);
    registerBudgets(suite);
    registerDomains(suite);
    registerReopening(suite);
  });
}

/** Durability: acknowledged changes survive an abrupt end of the process. */
function registerReopening({ describe, test, supports }: RegistrySuite): void {
  if (supports.reopen !== true) return;
  describe('opened again', () => {
    test('keeps everything it acknowledged', async ({ registry, reopen }) => {
      assert.ok(reopen !== undefined, 'a registry that supports reopening brings reopen()');
      await registry.insertOrganization(organizationOf({ name: 'Acme' }));
      for (const key of [keyOf(), FULL_KEY, keyOf({ id: 'of-globex', organizationId: 'globex' })]) {
        await registry.insertKey(key);
      }
      await registry.updateKey('key-1', { limit: 5n, revokedAtMs: CREATED_AT_MS });
      await registry.updateOrganization('globex', { suspendedAtMs: CREATED_AT_MS });
      const reopened = await reopen();
      await assertFound(reopened, keyOf({ limit: 5n, revokedAtMs: CREATED_AT_MS }));
      await assertFound(reopened, FULL_KEY);
      await assertFound(reopened, keyOf({ id: 'of-globex', organizationId: 'globex' }), { suspendedAtMs: 1 });
      assert.deepEqual(await reopened.findOrganization('acme'), organizationOf({ name: 'Acme' }));
      await assertRefused('duplicate_key', () => reopened.insertKey(keyOf({ hash: hashOf('another') })));
      await assertRefused('duplicate_key', () => reopened.insertKey(keyOf({ id: 'another', hash: hashOf('key-1') })));
    });

    test('continues a list where the last process stopped', async ({ registry, reopen }) => {
      assert.ok(reopen !== undefined, 'a registry that supports reopening brings reopen()');
      for (const id of ['key-1', 'key-2', 'key-3']) await registry.insertKey(keyOf({ id }));
      const { nextCursor } = await registry.listKeys({ limit: 2 });
      const page = await (await reopen()).listKeys({ cursor: nextCursor ?? 'none' });
      assert.deepEqual(page, { items: [keyOf({ id: 'key-3' })], nextCursor: null });
    });
  });
}
