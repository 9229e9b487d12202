import assert from 'node:assert/strict';
import { assertOneClaims } from './claiming.js';
import {
  assertClaim,
  CLAIM_MS,
  CLAIMED,
  CLOCK_MARGIN_MS,
  finishedWith,
  type IdempotencySuite,
  IN_PROGRESS,
  RESPONSE,
} from './idempotency-suite.js';

/** Sharing and durability: a claim holds for every process at once, and what was acknowledged outlives the process. */
export function registerSharing(suite: IdempotencySuite): void {
  if (suite.supports.connections === true) registerConnections(suite);
  if (suite.supports.reopen === true) registerReopening(suite);
}

function registerConnections({ describe, test }: IdempotencySuite): void {
  describe('with several handles', () => {
    test('gives a name to exactly one of 100 claims at once through four handles', async (scene) => {
      assert.ok(scene.connect !== undefined, 'a store that supports connections brings connect()');
      const others = await Promise.all([scene.connect(), scene.connect(), scene.connect()]);
      await assertOneClaims(scene, [scene.store, ...others]);
    });

    test('shows every handle the same claims', async ({ store, connect, claimOf, keepUntilMs }) => {
      assert.ok(connect !== undefined, 'a store that supports connections brings connect()');
      const other = await connect();
      await assertClaim(store.claim(claimOf()), CLAIMED);
      await assertClaim(other.claim(claimOf({ claimId: 'claim-2' })), IN_PROGRESS);
      assert.equal(await store.complete(claimOf(), RESPONSE, keepUntilMs), true);
      await assertClaim(other.claim(claimOf({ claimId: 'claim-2' })), finishedWith());
    });

    test('lets a claim be ended through another handle than it was made through', async (scene) => {
      const { store, connect, claimOf } = scene;
      assert.ok(connect !== undefined, 'a store that supports connections brings connect()');
      const other = await connect();
      await store.claim(claimOf());
      assert.equal(await other.free(claimOf()), true);
      await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), CLAIMED);
    });
  });
}

function registerReopening({ describe, test }: IdempotencySuite): void {
  describe('opened again', () => {
    test('keeps claims and responses it acknowledged', async ({ store, reopen, claimOf, keepUntilMs }) => {
      assert.ok(reopen !== undefined, 'a store that supports reopening brings reopen()');
      const finished = claimOf({ idempotencyKey: 'order-18' });
      await store.claim(claimOf());
      await store.claim(finished);
      await store.complete(finished, RESPONSE, keepUntilMs);
      const reopened = await reopen();
      await assertClaim(reopened.claim(claimOf({ claimId: 'claim-2' })), IN_PROGRESS);
      await assertClaim(reopened.claim({ ...finished, claimId: 'claim-2' }), finishedWith());
    });

    test('still expires the claims of the process that died', async ({ store, reopen, claimOf }) => {
      assert.ok(reopen !== undefined, 'a store that supports reopening brings reopen()');
      await store.claim(claimOf());
      const reopened = await reopen();
      await assertClaim(reopened.claim(claimOf({ claimId: 'claim-2' }, CLAIM_MS + CLOCK_MARGIN_MS)), CLAIMED);
    });
  });
}
