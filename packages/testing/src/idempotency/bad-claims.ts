import type { ClaimRequest, IdempotencyStore, LedgerReason, StoredResponse } from '@searchgate/core/ledger';
import { assertRefused } from '../assert-refused.js';
import { BAD_IDS, BAD_TIMES } from '../bad-values.js';

import { assertClaim, CLAIMED, finishedWith, type IdempotencySuite, RESPONSE } from './idempotency-suite.js';

const BAD_NAMES = ['', 'tab\t', 'line\n', 'é', '💶', 'nul\0', 'del\x7f', 'x'.repeat(256), 42 as unknown as string];
const BAD_FINGERPRINTS = ['', 'a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 'g'.repeat(64), 7 as unknown as string];
const BAD_RESPONSES: readonly StoredResponse[] = [
  { status: 99, body: '' },
  { status: 600, body: '' },
  { status: 200.5, body: '' },
  { status: '200' as unknown as number, body: '' },
  { status: 200, body: null as unknown as string },
];

/** Each way an argument can be wrong, of a claim and of the operations that end one. */
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
const BAD_REQUESTS: Readonly<Record<string, readonly Partial<ClaimRequest>[]>> = {
  'invalid times': BAD_TIMES.flatMap((timeMs) => [{ nowMs: timeMs }, { expiresAtMs: timeMs }]),
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
