import type { ClaimRequest, IdempotencyStore, LedgerReason, StoredResponse } from '@searchgate/core/ledger';
import { assertRefused } from '../ledger/observe.js';
import { assertClaim, CLAIMED, finishedWith, type IdempotencySuite, RESPONSE } from './idempotency-suite.js';

const BAD_IDS = ['', 'two words', 'line\n', 'é', 'x'.repeat(129), 42 as unknown as string];
const BAD_NAMES = ['', 'tab\t', 'line\n', 'é', '💶', 'nul\0', 'del\x7f', 'x'.repeat(256), 42 as unknown as string];
const BAD_FINGERPRINTS = ['', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 'g'.repeat(64), 7 as unknown as string];
const BAD_TIMES = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, '5' as unknown as number];
const BAD_RESPONSES: readonly StoredResponse[] = [
  { status: 99, body: '' },
  { status: 600, body: '' },
  { status: 200.5, body: '' },
  { status: '200' as unknown as number, body: '' },
  { status: 200, body: null as unknown as string },
];

/** Each way an argument can be wrong, of a claim and of the verbs that end one. */
const BAD_CLAIMS: Readonly<Record<string, readonly [LedgerReason, readonly Partial<ClaimRequest>[]]>> = {
  'ids that are none as keyId': ['invalid_id', BAD_IDS.map((keyId) => ({ keyId }))],
  'ids that are none as claimId': ['invalid_id', BAD_IDS.map((claimId) => ({ claimId }))],
  'names that are not 1 to 255 printable ASCII characters': [
    'invalid_argument',
    BAD_NAMES.map((idempotencyKey) => ({ idempotencyKey })),
  ],
};
const BAD_REQUESTS: Readonly<Record<string, readonly Partial<ClaimRequest>[]>> = {
  'fingerprints that are none': BAD_FINGERPRINTS.map((fingerprint) => ({ fingerprint })),
  'times that are none': BAD_TIMES.flatMap((timeMs) => [{ nowMs: timeMs }, { expiresAtMs: timeMs }]),
};

/** Bad arguments: each is refused with its own code and changes nothing. */
export function registerBadClaims({ describe, test }: IdempotencySuite): void {
  describe('bad arguments', () => {
    for (const [name, [reason, changes]] of Object.entries(BAD_CLAIMS)) {
      test(`refuses ${name}`, async ({ store, claimOf, keepUntilMs }) => {
        for (const change of changes) {
          const claim = claimOf(change);
          await assertRefused(reason, () => store.claim(claim));
          await assertRefused(reason, () => store.complete(claim, RESPONSE, keepUntilMs));
          await assertRefused(reason, () => store.free(claim));
        }
        await assertUntouched(store, claimOf());
      });
    }

    for (const [name, changes] of Object.entries(BAD_REQUESTS)) {
      test(`refuses ${name}`, async ({ store, claimOf }) => {
        for (const change of changes) await assertRefused('invalid_argument', () => store.claim(claimOf(change)));
        await assertUntouched(store, claimOf());
      });
    }

    test('refuses to complete with what is no response or until no time', async ({ store, claimOf, keepUntilMs }) => {
      await store.claim(claimOf());
      for (const response of BAD_RESPONSES) {
        await assertRefused('invalid_argument', () => store.complete(claimOf(), response, keepUntilMs));
      }
      for (const timeMs of BAD_TIMES) {
        await assertRefused('invalid_argument', () => store.complete(claimOf(), RESPONSE, timeMs));
      }
      // The claim is still held, so it can still be completed.
      await store.complete(claimOf(), RESPONSE, keepUntilMs);
      await assertClaim(store.claim(claimOf({ claimId: 'claim-2' })), finishedWith());
    });
  });
}

async function assertUntouched(store: IdempotencyStore, claim: ClaimRequest): Promise<void> {
  await assertClaim(store.claim(claim), CLAIMED);
}
