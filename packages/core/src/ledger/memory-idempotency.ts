import { z } from 'zod';
import { parseOptions } from '../base/options/parse-options.js';
import { createOwnedEntries } from '../base/owned-entries.js';
import { createIdempotencyStore } from './create-idempotency-store.js';
import {
  type ClaimRequest,
  type ClaimResult,
  type IdempotencyStore,
  nameOf,
  type StoredResponse,
} from './idempotency-store.js';

/** How much is kept in memory. */
export interface MemoryIdempotencyOptions {
  /**
   * Most bytes of remembered responses, including names and overhead. Beyond the limit the store forgets the oldest responses of the organization with the
   * most bytes. A response larger than the limit is not remembered. 65,536 to 1,073,741,824.
   *
   * @default 67,108,864 (64 MiB)
   */
  readonly maxBytes?: number | undefined;
}

interface Finished {
  readonly claimId: string;
  readonly fingerprint: string;
  readonly response: StoredResponse;
  readonly keepUntilMs: number;
}

type Claimed = Pick<ClaimRequest, 'claimId' | 'fingerprint' | 'expiresAtMs' | 'organizationId'>;

/** The claim of an erased name, which nobody can complete. */
const NOBODY = { claimId: '', fingerprint: '' };
/** A name that was finished stays for a while: a completion that is repeated must not bring the response back. */
const ERASED_MS = 60_000;
const DEFAULT_MAX_BYTES = 64 * 1_024 * 1_024;
/** The memory of an entry without its texts. */
const OVERHEAD_BYTES = 400;
/** Far more than the number of calls in flight. Bounds the memory against callers that never end claims. No claim is dropped in favor of another claim. */
const MOST_CLAIMS = 1_000_000;
const BYTES_WANTED = 'a whole number from 65,536 to 1,073,741,824';

const schema = z.strictObject(
  {
    maxBytes: z.int(BYTES_WANTED).min(65_536, BYTES_WANTED).max(1_073_741_824, BYTES_WANTED).default(DEFAULT_MAX_BYTES),
  },
  'an object of options',
);

/**
 * An {@link IdempotencyStore} in the memory of this process, which **forgets everything when the process ends**: right for a single process, if a call that is
 * repeated after a restart may be made twice. `memoryLedger()` has such a store.
 *
 * @throws ConfigurationError naming the wrong option.
 */
export function memoryIdempotency(options: MemoryIdempotencyOptions = {}): Required<IdempotencyStore> {
  const { maxBytes } = parseOptions(schema, options, 'memoryIdempotency');
  const claims = new Map<string, Claimed>();
  let latestMs = 0;
  const finished = createOwnedEntries<Finished>({ maxBytes });

  /** Forgets expired responses, oldest first. A response with a longer retention delays the removal of younger responses. */
  function forget(nowMs: number): void {
    for (const [name, { keepUntilMs }] of finished) {
      if (keepUntilMs > nowMs) return;
      finished.delete(name);
    }
  }

  function present(name: string, request: ClaimRequest): ClaimResult | undefined {
    const { nowMs, fingerprint, claimId } = request;
    const done = finished.peek(name);
    if (done !== undefined && done.keepUntilMs > nowMs) {
      return done.fingerprint === fingerprint
        ? { status: 'finished', response: done.response }
        : { status: 'mismatch' };
    }
    const held = claims.get(name);
    if (held === undefined || held.expiresAtMs <= nowMs || held.claimId === claimId) return undefined;
    return { status: held.fingerprint === fingerprint ? 'in_progress' : 'mismatch' };
  }

  return createIdempotencyStore({
    claim(request) {
      const name = nameOf(request);
      latestMs = request.nowMs;
      forget(latestMs);
      const taken = present(name, request);
      if (taken !== undefined) return taken;
      finished.delete(name);
      claims.delete(name);
      if (claims.size >= MOST_CLAIMS)
        for (const [each, { expiresAtMs }] of claims) if (expiresAtMs <= request.nowMs) claims.delete(each);
      if (claims.size >= MOST_CLAIMS) throw new Error(`${MOST_CLAIMS} calls with an Idempotency-Key are under way`);
      claims.set(name, request);
      return { status: 'claimed' };
    },
    complete(claim, response, keepUntilMs) {
      const name = nameOf(claim);
      const { fingerprint, claimId } = claim;
      const done = finished.peek(name);
      if (done !== undefined) return done.claimId === claimId;
      if ((claims.get(name)?.fingerprint ?? fingerprint) !== fingerprint) return false;
      claims.delete(name);
      const { organizationId: owner = claim.keyId } = claim;
      const bytes = OVERHEAD_BYTES + 2 * (name.length + response.body.length);
      finished.set(name, { claimId, fingerprint, response: { ...response }, keepUntilMs }, { owner, bytes });
      return true;
    },
    free(claim) {
      const name = nameOf(claim);
      return claims.get(name)?.claimId === claim.claimId && claims.delete(name);
    },
    erase(organizationId) {
      const own = [...claims].filter(([, claim]) => claim.organizationId === organizationId);
      for (const [name, { expiresAtMs }] of own) claims.set(name, { ...NOBODY, expiresAtMs });
      const names = finished.deleteOf(organizationId);
      for (const name of names) claims.set(name, { ...NOBODY, expiresAtMs: latestMs + ERASED_MS });
      return own.length + names.length;
    },
  });
}
