import assert from 'node:assert/strict';
import type { IdempotencyStore } from '@searchgate/core/ledger';
import {
  assertClaim,
  CLAIM_MS,
  CLAIMED,
  CLOCK_MARGIN_MS,
  FINGERPRINT,
  finishedWith,
  type IdempotencySuite,
  IN_PROGRESS,
  MISMATCH,
  OTHER_FINGERPRINT,
  RESPONSE,
  type Scene,
} from './idempotency-suite.js';

const CALLERS = 100;

/** Claims a key a hundred times at once, through the given handles in turn, and asserts exactly one success. */
export async function assertOneClaims(
  { claimOf }: Scene,
  handles: readonly [IdempotencyStore, ...IdempotencyStore[]],
  startsLaterMs = 0,
): Promise<void> {
  const claims = Array.from({ length: CALLERS }, (_, index) => {
    const handle = handles[index % handles.length] ?? handles[0];
    return handle.claim(claimOf({ claimId: `racer-${index}` }, startsLaterMs));
  });
  const statuses = (await Promise.all(claims)).map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, ['claimed', ...Array.from({ length: CALLERS - 1 }, () => 'in_progress')]);
}

/** Claiming: one caller gets the key, all others get the reason of the refusal. */
export function registerClaiming(suite: IdempotencySuite): void {
  suite.describe('claiming', () => {
    registerNames(suite);
    registerExpiry(suite);
  });
}

function registerNames({ test }: IdempotencySuite): void {
  test('gives a key to exactly one of 100 parallel claims', (scene) => assertOneClaims(scene, [scene.store]));

  test('gives an expired claim to exactly one of 100 parallel claims', async (scene) => {
    await assertClaim(scene.store.claim(scene.claimOf()), CLAIMED);
    await assertOneClaims(scene, [scene.store], CLAIM_MS + CLOCK_MARGIN_MS);
  });

  test('reports a first call in progress', async ({ store, claimOf }) => {
    await assertClaim(store.claim(claimOf()), CLAIMED);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), IN_PROGRESS);
  });

  test('lets a claim be repeated, since its first reply may be lost', async ({ store, claimOf }) => {
    await assertClaim(store.claim(claimOf()), CLAIMED);
    await assertClaim(store.claim(claimOf()), CLAIMED);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), IN_PROGRESS);
  });

  test('detects another request under the same key, running or finished', async ({ store, claimOf, keepUntilMs }) => {
    const other = claimOf({ claimId: 'claim-2', fingerprint: OTHER_FINGERPRINT });
    await store.claim(claimOf());
    await assertClaim(store.claim(other), MISMATCH);
    await store.complete(claimOf(), RESPONSE, keepUntilMs);
    await assertClaim(store.claim(other), MISMATCH);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-3' })), finishedWith());
  });

  test('keeps the same name of two API keys apart', async ({ store, claimOf, keepUntilMs }) => {
    const mine = claimOf();
    const theirs = claimOf({ keyId: 'key-2', claimId: 'claim-2', fingerprint: OTHER_FINGERPRINT });
    await assertClaim(store.claim(mine), CLAIMED);
    await assertClaim(store.claim(theirs), CLAIMED);
    await store.complete(mine, RESPONSE, keepUntilMs);
    await assertClaim(store.claim({ ...theirs, claimId: 'claim-3' }), IN_PROGRESS);
    assert.equal(await store.complete({ ...mine, keyId: theirs.keyId }, RESPONSE, keepUntilMs), false);
    assert.equal(await store.free(theirs), true);
    await assertClaim(store.claim({ ...mine, claimId: 'claim-4' }), finishedWith());
  });

  test('takes any printable ASCII name, and distinguishes names to the character', async ({ store, claimOf }) => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    const long = 'x'.repeat(254);
    const alike = ['a', 'A', 'a ', ' a', 'a  b', 'a b', '%', '_', "'; --", ' '];
    const names = [...alike, printable, `${long}1`, `${long}2`, long];
    for (const [index, idempotencyKey] of names.entries()) {
      await assertClaim(store.claim(claimOf({ idempotencyKey, claimId: `claim-${index}` })), CLAIMED);
    }
    for (const idempotencyKey of names) {
      await assertClaim(store.claim(claimOf({ idempotencyKey, claimId: 'late' })), IN_PROGRESS);
    }
  });

  test('never mistakes the end of a key for the beginning of a name', async ({ store, claimOf }) => {
    for (const [index, separator] of [':', '/', '|', '.', '}'].entries()) {
      const changes = { keyId: `k${separator}a`, idempotencyKey: 'b', claimId: `one-${index}` };
      await assertClaim(store.claim(claimOf(changes)), CLAIMED);
      const moved = { keyId: 'k', idempotencyKey: `a${separator}b`, claimId: `two-${index}` };
      await assertClaim(store.claim(claimOf(moved)), CLAIMED);
    }
  });
}

function registerExpiry({ test }: IdempotencySuite): void {
  test('keeps a claim until it expires, then gives the key to any caller', async ({ store, claimOf }) => {
    await store.claim(claimOf());
    await assertClaim(store.claim(claimOf({ claimId: 'early' }, CLAIM_MS - CLOCK_MARGIN_MS)), IN_PROGRESS);
    const other = { claimId: 'claim-2', fingerprint: OTHER_FINGERPRINT };
    await assertClaim(store.claim(claimOf(other, CLAIM_MS + CLOCK_MARGIN_MS)), CLAIMED);
    const late = claimOf({ claimId: 'claim-3', fingerprint: OTHER_FINGERPRINT }, CLAIM_MS + CLOCK_MARGIN_MS);
    await assertClaim(store.claim(late), IN_PROGRESS);
    await assertClaim(store.claim({ ...late, fingerprint: FINGERPRINT }), MISMATCH);
  });

  test('keeps a claim that the same claim makes again until its new expiry', async ({ store, claimOf }) => {
    await store.claim(claimOf());
    const renewed = claimOf({}, CLAIM_MS - CLOCK_MARGIN_MS);
    await assertClaim(store.claim(renewed), CLAIMED);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' }, CLAIM_MS + CLOCK_MARGIN_MS)), IN_PROGRESS);
    const late = claimOf({ claimId: 'claim-3' }, 2 * CLAIM_MS + CLOCK_MARGIN_MS);
    await assertClaim(store.claim(late), CLAIMED);
  });

  test('refuses to end a claim that another has replaced, and changes nothing', async (scene) => {
    const { store, claimOf, keepUntilMs } = scene;
    const late = claimOf();
    const second = claimOf({ claimId: 'claim-2' }, CLAIM_MS + CLOCK_MARGIN_MS);
    const third = { ...second, claimId: 'claim-3' };
    const lost = { status: 500, body: 'lost' };
    await store.claim(late);
    await store.claim(second);
    assert.equal(await store.free(late), false);
    await assertClaim(store.claim(third), IN_PROGRESS);
    assert.equal(await store.complete(second, RESPONSE, keepUntilMs), true);
    assert.equal(await store.complete(late, lost, keepUntilMs), false);
    assert.equal(await store.free(late), false);
    await assertClaim(store.claim(third), finishedWith());
  });
}
