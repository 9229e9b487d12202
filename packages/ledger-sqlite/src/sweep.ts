import type { ExpiryPolicy } from '@searchgate/core';
import type { Access } from './engine/access.js';
import type { Verb } from './engine/commit-queue.js';
import { pruneClaims } from './keys/stored-claims.js';
import { expireDueHolds, pruneEndedHolds, SWEEP_SIZE } from './money/expire-holds.js';

/** How many batches of old rows one sweep deletes: what is left goes with the next one. */
const MOST_PRUNING_BATCHES = 20;
/** A name whose claim has ended is free at once; its row stays for a while, since a late call may still want to complete it. */
const CLAIM_GRACE_MS = 3_600_000;

export interface Sweep {
  readonly nowMs: number;
  readonly policy: ExpiryPolicy;
  readonly keepEndedHoldsMs: number;
}

/** Ends every hold that is due, then forgets what is old, in transactions that others fit in between. @returns how many holds it ended. */
export async function sweep({ write }: Access, { nowMs, policy, keepEndedHoldsMs }: Sweep): Promise<number> {
  let ended = 0;
  for (let count = SWEEP_SIZE; count === SWEEP_SIZE; ended += count) {
    count = await write((books) => expireDueHolds(books, nowMs, policy));
  }
  await prune(write, (books) => pruneEndedHolds(books, books.nowMs - keepEndedHoldsMs));
  await prune(write, (books) => pruneClaims(books, books.nowMs - CLAIM_GRACE_MS));
  return ended;
}

async function prune(write: Access['write'], deleteBatch: Verb<number>): Promise<void> {
  for (let batch = 0; batch < MOST_PRUNING_BATCHES; batch += 1) {
    if ((await write(deleteBatch)) < SWEEP_SIZE) return;
  }
}
