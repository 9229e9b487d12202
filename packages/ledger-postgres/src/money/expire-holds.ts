import type { Database } from '../engine/database.js';

/** So many holds end in one transaction: their organizations are locked for that time. */
const BATCH = 200;
/** So many rows are forgotten in one transaction, and so many transactions at most in one sweep: the next sweep goes on. */
const FORGET_BATCH = 1_000;
const MOST_FORGET_BATCHES = 20;
/** Other processes may end the same holds at the same time; a sweep that ends nothing so often leaves the rest to them. */
const MOST_IDLE_BATCHES = 5;

/** Ends the holds that are due, batch by batch. @returns how many this sweep ended. */
export async function expireHolds({ write }: Database, nowMs: number): Promise<number> {
  let count = 0;
  let idle = 0;
  while (idle < MOST_IDLE_BATCHES) {
    const argument = { dueMs: nowMs, most: BATCH };
    const { found = 0, ended = 0 } =
      (await write<{ found: number; ended: number }>('expire_due_holds', argument)) ?? {};
    count += ended;
    idle = ended === 0 ? idle + 1 : 0;
    if (found < BATCH) break;
  }
  return count;
}

/** Forgets ended holds, claims that are over, and counters of rates that have drained. What is left of them when the bounds are reached is for the next sweep. */
export async function forgetOld({ write }: Database, endedHoldRetentionMs: number): Promise<void> {
  await inBatches(() => write<number>('forget_ended_holds', { keepMs: endedHoldRetentionMs, most: FORGET_BATCH }));
  await inBatches(() => write<number>('forget_claims', { most: FORGET_BATCH }));
  await inBatches(() => write<number>('forget_counters', { most: FORGET_BATCH }));
}

async function inBatches(forget: () => Promise<number | undefined>): Promise<void> {
  for (let batch = 0; batch < MOST_FORGET_BATCHES; batch += 1) {
    if (((await forget()) ?? 0) < FORGET_BATCH) return;
  }
}
