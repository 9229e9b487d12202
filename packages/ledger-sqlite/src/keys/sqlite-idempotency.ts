import type { IdempotencyEngine } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import { claimName, completeClaim, freeClaim } from './claim-rows.js';

/** The claims of `Idempotency-Key`s in the ledger's database. */
export function sqliteIdempotency({ write }: Access): IdempotencyEngine {
  return {
    claim: (request) => write((state) => claimName(state, request)),
    complete: (claim, response, keepUntilMs) =>
      write((state) => completeClaim(state, claim, { response, keepUntilMs })),
    free: (claim) => write((state) => freeClaim(state, claim)),
  };
}
