import { expireHold } from '@searchgate/core/ledger';
import type { Access } from '../engine/access.js';
import type { Forgetting } from './forget-old.js';
import { type HoldRow, holdOf, READ_HOLDS } from './hold-rows.js';
import type { SqliteState } from './sqlite-state.js';

/** How many holds end, or rows go, in one transaction: other operations and other processes wait for it. */
const BATCH = 100;
/** How many batches of old rows one sweep deletes where no hold was due: those that are left by times without any operation. */
const IDLE_BATCHES = 20;

const READ_DUE = `${READ_HOLDS} WHERE ended_at_ms IS NULL AND expires_at_ms <= ? ORDER BY expires_at_ms LIMIT ${BATCH}`;

export interface Sweep {
  readonly nowMs: number;
  readonly forget: Forgetting['forget'];
}

/** Ends every hold that is due, then forgets what is old, in transactions that others fit in between. @returns how many holds it ended. */
export async function expireHolds({ write }: Access, { nowMs, forget }: Sweep): Promise<number> {
  let ended = 0;
  for (let count = BATCH; count === BATCH; ended += count) {
    count = await write((state) => expireDueHolds(state, nowMs));
  }
  // Twice as many as have ended, so that a process that only sweeps keeps up too.
  const batches = IDLE_BATCHES + Math.ceil((2 * ended) / BATCH);
  let isMore = true;
  for (let batch = 0; isMore && batch < batches; batch += 1) isMore = await write((state) => forget(state, BATCH));
  return ended;
}

function expireDueHolds(state: SqliteState, nowMs: number): number {
  const due = state.connection.tuples<HoldRow>(READ_DUE).all(BigInt(nowMs));
  for (const row of due) expireHold(state, holdOf(row));
  return due.length;
}
