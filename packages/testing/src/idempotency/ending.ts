import assert from 'node:assert/strict';
import type { StoredResponse } from '@searchgate/core/ledger';
import {
  assertClaim,
  CLAIM_MS,
  CLAIMED,
  CLOCK_MARGIN_MS,
  finishedWith,
  type IdempotencySuite,
  IN_PROGRESS,
  KEEP_MS,
  MISMATCH,
  OTHER_FINGERPRINT,
  RESPONSE,
  type Scene,
} from './idempotency-suite.js';

const MEBIBYTE = 1_024 * 1_024;
/** Bodies that encodings, escapes and column types may change. */
const BODIES: Readonly<Record<string, string>> = {
  'an empty body': '',
  'characters beyond ASCII': 'ä€💶\u{1F469}\u200d\u{1F680} \u0627\u0644 \ufeff \u2028 e\u0301 ﬁ',
  'control characters': JSON.stringify({ answer: 'tab\t nul\0 bell\u0007 cr\r\nlf' }),
  'spaces around': '  {"answer": 1.50}\r\n ',
  'what looks like a number': '012345678901234567890.10',
  'quotes and backslashes': String.raw`'"\\'' $1 \x00 %s {0}`,
  'one mebibyte': `{"answer":"${'💶 zwölf '.repeat(MEBIBYTE / 8)}`.slice(0, MEBIBYTE),
};

/** Ending: a completed response is replayed byte for byte while it is kept; a freed key is as if never claimed. */
export function registerEnding(suite: IdempotencySuite): void {
  suite.describe('ending', () => {
    registerReplays(suite);
    registerFreeing(suite);
    registerErasing(suite);
  });
}

function registerReplays({ test }: IdempotencySuite): void {
  for (const [name, body] of Object.entries(BODIES)) {
    test(`replays ${name} to the last character`, async ({ store, claimOf, keepUntilMs }) => {
      await store.claim(claimOf());
      assert.equal(await store.complete(claimOf(), { status: 200, body }, keepUntilMs), true);
      for (const claimId of ['claim-2', 'claim-3']) {
        const result = await store.claim(claimOf({ claimId }));
        assert.ok(result.status === 'finished');
        // Not deepEqual: its message about a difference would be a mebibyte long.
        assert.ok(result.response.body === body, 'the body is replayed as it was');
      }
    });
  }

  test('replays the status', async ({ store, claimOf, keepUntilMs }) => {
    for (const [index, status] of [200, 402, 502].entries()) {
      const claim = claimOf({ idempotencyKey: `order-${index}` });
      const response: StoredResponse = { status, body: `${status}` };
      await store.claim(claim);
      await store.complete(claim, response, keepUntilMs);
      await assertClaim(store.claim({ ...claim, claimId: 'claim-2' }), finishedWith(response));
    }
  });

  test('keeps a finished name until its time, then frees it', async ({ store, claimOf, keepUntilMs }) => {
    await store.claim(claimOf());
    await store.complete(claimOf(), RESPONSE, keepUntilMs);
    // Long after the expiry of the claim itself.
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' }, CLAIM_MS + CLOCK_MARGIN_MS)), finishedWith());
    await assertClaim(store.claim(claimOf({ claimId: 'claim-3' }, KEEP_MS - CLOCK_MARGIN_MS)), finishedWith());
    const fresh = { claimId: 'claim-4', fingerprint: OTHER_FINGERPRINT };
    await assertClaim(store.claim(claimOf(fresh, KEEP_MS + CLOCK_MARGIN_MS)), CLAIMED);
    const next = { claimId: 'claim-5', fingerprint: OTHER_FINGERPRINT };
    await assertClaim(store.claim(claimOf(next, KEEP_MS + CLOCK_MARGIN_MS)), IN_PROGRESS);
  });

  test('lets a claim repeat its completion', async ({ store, claimOf, keepUntilMs }) => {
    await store.claim(claimOf());
    assert.equal(await store.complete(claimOf(), RESPONSE, keepUntilMs), true);
    assert.equal(await store.complete(claimOf(), RESPONSE, keepUntilMs), true);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), finishedWith());
  });

  test('completes a name that is free: forgotten, freed or expired', async ({ store, claimOf, keepUntilMs }) => {
    const forgotten = claimOf({ idempotencyKey: 'forgotten' });
    const freed = claimOf({ idempotencyKey: 'freed', fingerprint: OTHER_FINGERPRINT });
    const expired = claimOf({ idempotencyKey: 'expired', expiresAtMs: claimOf().nowMs });
    await store.claim(freed);
    await store.free(freed);
    await store.claim(expired);
    for (const { idempotencyKey } of [forgotten, freed, expired]) {
      const late = claimOf({ idempotencyKey, claimId: 'late' });
      assert.equal(await store.complete(late, RESPONSE, keepUntilMs), true);
      assert.equal(await store.complete(late, RESPONSE, keepUntilMs), true);
      await assertClaim(store.claim({ ...late, claimId: 'next' }), finishedWith());
    }
  });

  test('completes no claim of another request', async ({ store, claimOf, keepUntilMs }) => {
    await store.claim(claimOf());
    const stranger = claimOf({ claimId: 'claim-2', fingerprint: OTHER_FINGERPRINT });
    assert.equal(await store.complete(stranger, RESPONSE, keepUntilMs), false);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-3' })), IN_PROGRESS);
    assert.equal(await store.complete(claimOf(), RESPONSE, keepUntilMs), true);
  });

  test('lets only the holder free a claim', async ({ store, claimOf }) => {
    await store.claim(claimOf());
    const stranger = claimOf({ claimId: 'claim-2' });
    assert.equal(await store.free(stranger), false);
    await assertClaim(store.claim(stranger), IN_PROGRESS);
  });

  test('keeps the response of the first of two claims that completes', async ({ store, claimOf, keepUntilMs }) => {
    const [first, second] = [claimOf(), claimOf({ claimId: 'claim-2' }, CLAIM_MS + CLOCK_MARGIN_MS)];
    await store.claim(first);
    await store.claim(second);
    assert.equal(await store.complete(first, RESPONSE, keepUntilMs), true);
    assert.equal(await store.complete(second, { status: 500, body: 'second' }, keepUntilMs), false);
    assert.equal(await store.free(second), false);
    await assertClaim(store.claim({ ...second, claimId: 'claim-3' }), finishedWith());
  });
}

function registerFreeing({ test }: IdempotencySuite): void {
  test('gives a freed key to any caller, for any request', async ({ store, claimOf }) => {
    await store.claim(claimOf());
    assert.equal(await store.free(claimOf()), true);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2', fingerprint: OTHER_FINGERPRINT })), CLAIMED);
  });

  test('frees once', async ({ store, claimOf }) => {
    await store.claim(claimOf());
    await store.free(claimOf());
    assert.equal(await store.free(claimOf()), false);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), CLAIMED);
    assert.equal(await store.free(claimOf()), false);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-3' })), IN_PROGRESS);
  });

  test('frees no finished claim', async ({ store, claimOf, keepUntilMs }) => {
    await store.claim(claimOf());
    await store.complete(claimOf(), RESPONSE, keepUntilMs);
    assert.equal(await store.free(claimOf()), false);
    await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), finishedWith());
  });
}

function registerErasing({ test, supports }: IdempotencySuite): void {
  if (supports.erase === undefined || supports.erase === false) return;
  const acme = { organizationId: 'acme' };

  test('leaves no response of an erased organization, and keeps those of others', async (scene) => {
    const { store, claimOf, keepUntilMs } = scene;
    const own = claimOf({ ...acme, idempotencyKey: 'own' });
    const others = [claimOf({ organizationId: 'globex' }), claimOf({ keyId: 'key-2' })];
    for (const claim of [own, ...others]) {
      await store.claim(claim);
      await store.complete(claim, RESPONSE, keepUntilMs);
    }
    // Finished without a claim.
    const unclaimed = claimOf({ ...acme, idempotencyKey: 'unclaimed' });
    await store.complete(unclaimed, RESPONSE, keepUntilMs);
    assert.equal(await erase(scene), 2);
    for (const claim of others) await assertClaim(store.claim({ ...claim, claimId: 'claim-2' }), finishedWith());
    for (const claim of [own, unclaimed]) {
      // A completion that is sent again brings nothing back.
      await store.complete(claim, RESPONSE, keepUntilMs).catch(() => undefined);
      const later = claim.nowMs + 60_000 + CLOCK_MARGIN_MS;
      await assertClaim(store.claim({ ...claim, claimId: 'claim-2', nowMs: later }), CLAIMED);
    }
  });

  test('lets no call that runs while its organization is erased keep a response', async (scene) => {
    const { store, claimOf, keepUntilMs } = scene;
    const [running, late, next] = [claimOf(acme), claimOf({ ...acme, idempotencyKey: 'late' }), { claimId: 'claim-2' }];
    for (const claim of [running, late]) await store.claim(claim);
    assert.equal(await erase(scene), 2);
    assert.equal(await store.complete(running, RESPONSE, keepUntilMs), false);
    assert.equal(await store.free(running), false);
    await assertClaim(store.claim(claimOf({ ...acme, ...next })), MISMATCH);
    const later = CLAIM_MS + CLOCK_MARGIN_MS;
    assert.equal(await store.complete(late, RESPONSE, keepUntilMs), false);
    await assertClaim(store.claim(claimOf({ ...acme, ...next }, later)), CLAIMED);
    await assertClaim(store.claim(claimOf({ ...late, ...next, nowMs: late.nowMs + later })), CLAIMED);
  });

  if (supports.erase === 'dumped') {
    test('leaves no text of an erased organization in its storage', async (scene) => {
      const { store, claimOf, keepUntilMs, dump } = scene;
      assert.ok(dump !== undefined, 'a store that is dumped brings dump()');
      await store.complete(claimOf(acme), { status: 200, body: '{"answer":"planted"}' }, keepUntilMs);
      assert.ok((await dump()).includes('planted'));
      await erase(scene);
      assert.ok(!(await dump()).includes('planted'));
    });
  }

  test('erases among more names than one step looks at', async (scene) => {
    const { store, claimOf, keepUntilMs } = scene;
    const claims = Array.from({ length: 2_500 }, (_, index) =>
      claimOf({ idempotencyKey: `order-${index}`, organizationId: index % 2 === 0 ? 'acme' : 'globex' }),
    );
    await Promise.all(claims.map((claim) => store.complete(claim, { status: 200, body: '{}' }, keepUntilMs)));
    assert.equal(await erase(scene), 1_250);
    assert.equal(await erase(scene, 'globex'), 1_250);
    assert.equal(await erase(scene, 'unknown'), 0);
  });
}

async function erase({ store }: Pick<Scene, 'store'>, organizationId = 'acme'): Promise<number> {
  assert.ok(store.erase !== undefined, 'a store that supports erasing brings erase()');
  return store.erase(organizationId);
}
