import assert from 'node:assert/strict';
import type { ClaimRequest, LedgerReason, StoredResponse } from '@searchgate/core/ledger';
import { assertRefused } from './assert-refused.js';
import { BAD_IDS, BAD_TIMES } from './bad-values.js';
import { assertOneClaims, registerClaiming } from './idempotency/claiming.js';
import { registerEnding } from './idempotency/ending.js';
import {
  assertClaim,
  CLAIM_MS,
  CLAIMED,
  CLOCK_MARGIN_MS,
  createIdempotencySuite,
  finishedWith,
  type IdempotencyConformanceOptions,
  type IdempotencySuite,
  IN_PROGRESS,
  RESPONSE,
} from './idempotency/idempotency-suite.js';

const BAD_NAMES = ['', 'tab\t', 'line\n', 'é', '💶', 'nul\0', 'del\x7f', 'x'.repeat(256), 42 as unknown as string];
const BAD_FINGERPRINTS = ['', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 'g'.repeat(64), 7 as unknown as string];
const BAD_RESPONSES: readonly StoredResponse[] = [
  { status: 99, body: '' },
  { status: 600, body: '' },
  { status: 200.5, body: '' },
  { status: '200' as unknown as number, body: '' },
  { status: 200, body: null as unknown as string },
];

/** Invalid arguments of a claim, and of the operations that end a claim. */
const BAD_CLAIMS: Readonly<Record<string, readonly [LedgerReason, readonly Partial<ClaimRequest>[]]>> = {
  'invalid ids as keyId': ['invalid_id', BAD_IDS.map((keyId) => ({ keyId }))],
  'invalid ids as organizationId': ['invalid_id', BAD_IDS.map((organizationId) => ({ organizationId }))],
  'invalid ids as claimId': ['invalid_id', BAD_IDS.map((claimId) => ({ claimId }))],
  'names that are not 1 to 255 printable ASCII characters': [
    'invalid_argument',
    BAD_NAMES.map((idempotencyKey) => ({ idempotencyKey })),
  ],
  'invalid fingerprints': ['invalid_argument', BAD_FINGERPRINTS.map((fingerprint) => ({ fingerprint }))],
};

/** Bad arguments: each is refused with its code and changes nothing. */
function registerBadClaims({ describe, test }: IdempotencySuite): void {
  describe('bad arguments', () => {
    for (const [name, [reason, changes]] of Object.entries(BAD_CLAIMS)) {
      test(`refuses ${name}`, async ({ store, claimOf, keepUntilMs }) => {
        for (const change of changes) {
          const claim = claimOf(change);
          await assertRefused(reason, () => store.claim(claim));
          await assertRefused(reason, () => store.complete(claim, RESPONSE, keepUntilMs));
          await assertRefused(reason, () => store.free(claim));
        }
        await assertClaim(store.claim(claimOf()), CLAIMED);
      });
    }

    test('refuses invalid times', async ({ store, claimOf }) => {
      for (const timeMs of BAD_TIMES) {
        for (const change of [{ nowMs: timeMs }, { expiresAtMs: timeMs }])
          await assertRefused('invalid_argument', () => store.claim(claimOf(change)));
      }
      await assertClaim(store.claim(claimOf()), CLAIMED);
    });

    test('refuses to complete with an invalid response or time', async ({ store, claimOf, keepUntilMs }) => {
      await store.claim(claimOf());
      for (const response of BAD_RESPONSES) {
        await assertRefused('invalid_argument', () => store.complete(claimOf(), response, keepUntilMs));
      }
      for (const timeMs of BAD_TIMES) {
        await assertRefused('invalid_argument', () => store.complete(claimOf(), RESPONSE, timeMs));
      }
      // The claim is unchanged, so it can be completed.
      await store.complete(claimOf(), RESPONSE, keepUntilMs);
      await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), finishedWith());
    });
  });
}

/**
 * The contract of `IdempotencyStore` as tests. A store needs only its `create` to be tested:
 *
 * ```ts
 * import { describe, it } from 'vitest';
 * idempotencyConformance({ describe, it, create: createMyStore, supports: { connections: true, reopen: true } });
 * ```
 *
 * Only the `nowMs` of claims moves time, in steps far larger than the difference between the clocks of an engine and a process. So no test waits, and no
 * test depends on the speed of the engine.
 */
export function idempotencyConformance(options: IdempotencyConformanceOptions): void {
  const suite = createIdempotencySuite(options);
  suite.describe('idempotency contract', () => {
    registerClaiming(suite);
    registerEnding(suite);
    registerBadClaims(suite);
    if (suite.supports.connections === true) registerConnections(suite);
    if (suite.supports.reopen === true) registerReopening(suite);
  });
}

/** Sharing: a claim holds for all processes at once. */
function registerConnections({ describe, test }: IdempotencySuite): void {
  describe('with several handles', () => {
    test('gives a key to exactly one of 100 parallel claims through four handles', async (scene) => {
      const others = await Promise.all([scene.connect(), scene.connect(), scene.connect()]);
      await assertOneClaims(scene, [scene.store, ...others]);
    });

    test('shows every handle the same claims', async ({ store, connect, claimOf, keepUntilMs }) => {
      const other = await connect();
      await assertClaim(store.claim(claimOf()), CLAIMED);
      await assertClaim(other.claim(claimOf({ claimId: 'claim-2' })), IN_PROGRESS);
      assert.equal(await store.complete(claimOf(), RESPONSE, keepUntilMs), true);
      await assertClaim(other.claim(claimOf({ claimId: 'claim-2' })), finishedWith());
    });

    test('lets a claim be ended through another handle than it was made through', async (scene) => {
      const { store, connect, claimOf } = scene;
      const other = await connect();
      await store.claim(claimOf());
      assert.equal(await other.free(claimOf()), true);
      await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), CLAIMED);
    });
  });
}

/** Durability: acknowledged claims survive the process. */
function registerReopening({ describe, test }: IdempotencySuite): void {
  describe('opened again', () => {
    test('keeps claims and responses it acknowledged', async ({ store, reopen, claimOf, keepUntilMs }) => {
      const finished = claimOf({ idempotencyKey: 'order-18' });
      await store.claim(claimOf());
      await store.claim(finished);
      await store.complete(finished, RESPONSE, keepUntilMs);
      const reopened = await reopen();
      await assertClaim(reopened.claim(claimOf({ claimId: 'claim-2' })), IN_PROGRESS);
      await assertClaim(reopened.claim({ ...finished, claimId: 'claim-2' }), finishedWith());
    });

    test('still expires the claims of the process that died', async ({ store, reopen, claimOf }) => {
      await store.claim(claimOf());
      const reopened = await reopen();
      await assertClaim(reopened.claim(claimOf({ claimId: 'claim-2' }, CLAIM_MS + CLOCK_MARGIN_MS)), CLAIMED);
    });
  });
}
