import { type IdempotencyStore, memoryIdempotency } from '../src/index.js';

/** A store that records the fingerprints of its calls, in order. */
export function fingerprintStore(): { readonly idempotency: IdempotencyStore; readonly seen: readonly string[] } {
  const seen: string[] = [];
  const store = memoryIdempotency();
  const idempotency: IdempotencyStore = {
    claim: (input) => {
      seen.push(input.fingerprint);
      return store.claim(input);
    },
    complete: (...input) => store.complete(...input),
    free: (claim) => store.free(claim),
  };
  return { idempotency, seen };
}
