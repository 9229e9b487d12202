import type { ExpiryPolicy } from '@searchgate/core/ledger';
import type { Access } from './engine/access.js';
import type { Forgetting } from './forget-old.js';
import { expireDueHolds, SWEEP_SIZE } from './money/expire-holds.js';

/** How many batches of old rows one sweep deletes where no hold was due: those that are left by times when no verb comes. */
const IDLE_BATCHES = 20;

export interface Sweep {
  readonly nowMs: number;
  readonly policy: ExpiryPolicy;
  readonly forget: Forgetting['forget'];
}

/** Ends every hold that is due, then forgets what is old, in transactions that others fit in between. @returns how many holds it ended. */
export async function sweep({ write }: Access, { nowMs, policy, forget }: Sweep): Promise<number> {
  let ended = 0;
  for (let count = SWEEP_SIZE; count === SWEEP_SIZE; ended += count) {
    count = await write((books) => expireDueHolds(books, nowMs, policy));
  }
  // Twice as many as have ended, so that also a process that does nothing but sweep keeps up.
  const batches = IDLE_BATCHES + Math.ceil((2 * ended) / SWEEP_SIZE);
  let isMore = true;
  for (let batch = 0; isMore && batch < batches; batch += 1) isMore = await write((books) => forget(books, SWEEP_SIZE));
  return ended;
}
