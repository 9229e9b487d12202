import { isIdempotencyKey } from '../base/idempotency-key.js';
import { checkLedgerId, checkTime, refusal } from '../base/options/check-argument.js';
import { type ArgumentChecks, type EngineOf, type OpenState, wrapOperations } from '../base/options/open-state.js';
import type { Claim, IdempotencyStore } from './idempotency-store.js';

/** The operations of an `IdempotencyStore`, with checked arguments. Each operation is one atomic step. */
export type IdempotencyEngine = EngineOf<Required<IdempotencyStore>>;

/** @throws LedgerError `invalid_id` or `invalid_argument`. */
export const CLAIM_CHECKS: ArgumentChecks<Required<IdempotencyStore>, IdempotencyEngine> = {
  claim(request) {
    checkClaim(request);
    checkTime('nowMs', request.nowMs);
    checkTime('expiresAtMs', request.expiresAtMs);
  },
  complete(claim, { status, body }, keepUntilMs) {
    checkClaim(claim);
    if (!Number.isInteger(status) || status < 100 || status > 599)
      throw refusal('invalid_argument', 'status', { found: status, expected: 'an HTTP status' });
    if (typeof body !== 'string') throw refusal('invalid_argument', 'body', { found: body, expected: 'a text' });
    checkTime('keepUntilMs', keepUntilMs);
  },
  free: checkClaim,
  erase: (organizationId) => checkLedgerId('organizationId', organizationId),
};

export const STORE_OPERATIONS = Object.keys(CLAIM_CHECKS) as (keyof IdempotencyStore)[];

/**
 * Makes an {@link IdempotencyStore} of an engine, with the argument checks that all stores share.
 *
 * @param open the open state of the ledger that the store belongs to. Default: always open.
 */
export function createIdempotencyStore(engine: IdempotencyEngine, open?: OpenState): Required<IdempotencyStore> {
  return wrapOperations(engine, STORE_OPERATIONS, { interceptor: open, checks: CLAIM_CHECKS });
}

const SHA_256 = /^[0-9a-f]{64}$/;

/** @throws LedgerError `invalid_id` or `invalid_argument`. */
function checkClaim({ keyId, organizationId, idempotencyKey, claimId, fingerprint }: Claim): void {
  checkLedgerId('keyId', keyId);
  checkLedgerId('claimId', claimId);
  if (organizationId !== undefined) checkLedgerId('organizationId', organizationId);
  if (!isIdempotencyKey(idempotencyKey)) {
    const expected = '1 to 255 printable ASCII characters';
    throw refusal('invalid_argument', 'idempotencyKey', { found: idempotencyKey, expected });
  }
  if (typeof fingerprint !== 'string' || !SHA_256.test(fingerprint))
    throw refusal('invalid_argument', 'fingerprint', { found: fingerprint, expected: 'a lower-case hex SHA-256' });
}
