import assert from 'node:assert/strict';
import { assertRefused } from '../assert-refused.js';

import { assertFound, CREATED_AT_MS, FULL_KEY, hashOf, keyOf, organizationOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

/** Durability: what was acknowledged is there after the process ended abruptly. */
export function registerReopening({ describe, test, supports }: RegistrySuite): void {
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

    test('goes on with a list where the process before it stopped', async ({ registry, reopen }) => {
      assert.ok(reopen !== undefined, 'a registry that supports reopening brings reopen()');
      for (const id of ['key-1', 'key-2', 'key-3']) await registry.insertKey(keyOf({ id }));
      const { nextCursor } = await registry.listKeys({ limit: 2 });
      const page = await (await reopen()).listKeys({ cursor: nextCursor ?? 'none' });
      assert.deepEqual(page, { items: [keyOf({ id: 'key-3' })], nextCursor: null });
    });
  });
}
