import { pruneClaims } from './keys/stored-claims.js';
import type { Books } from './money/books.js';
import { pruneEndedHolds } from './money/expire-holds.js';

/** A name whose claim has ended is free at once; its row stays for a while, since a late call may still want to complete it. */
const CLAIM_GRACE_MS = 3_600_000;
/** Every so many verbs old rows are looked for, which costs as much as a verb where there are none. */
const VERBS_BETWEEN = 100;

/** Forgets old holds and claims. */
export interface Forgetting {
  /**
   * Called with the number of verbs of each transaction, at its end. A call is two verbs and leaves a hold, or four and leaves a hold and a claim: as
   * many rows of each are forgotten as there were verbs, so they go at least twice as fast as they come, whatever the rate is.
   */
  afterVerbs(books: Books, verbs: number): void;
  /** Up to `most` of each. @returns whether there may be more. */
  forget(books: Books, most: number): boolean;
}

export function createForgetting(keepEndedHoldsMs: number): Forgetting {
  let verbsSince = 0;

  function forget(books: Books, most: number): boolean {
    const holds = pruneEndedHolds(books, books.nowMs - keepEndedHoldsMs, most);
    const claims = pruneClaims(books, books.nowMs - CLAIM_GRACE_MS, most);
    return holds === most || claims === most;
  }

  return {
    afterVerbs(books, verbs) {
      verbsSince += verbs;
      if (verbsSince < VERBS_BETWEEN) return;
      const most = verbsSince;
      // Before it is tried: where it fails, it is not to fail with the next verbs as well.
      verbsSince = 0;
      forget(books, most);
    },
    forget,
  };
}
