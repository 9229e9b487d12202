import { BUDGET_IDLE_DAYS, dayOf } from '@searchgate/core/ledger';
import { pruneClaims } from '../keys/claim-rows.js';
import type { SqliteState } from './sqlite-state.js';

/** A name whose claim has ended is free at once; its row stays for a while, since a late call may still want to complete it. */
const CLAIM_GRACE_MS = 3_600_000;
/** Every so many operations old rows are looked for, which costs as much as an operation where there are none. */
const OPERATIONS_BETWEEN = 100;

const PRUNE_HOLDS = `DELETE FROM searchgate_holds WHERE id IN (SELECT id FROM searchgate_holds
  WHERE ended_at_ms IS NOT NULL AND ended_at_ms < ? ORDER BY ended_at_ms LIMIT ?)`;

const PRUNE_BUDGETS = `DELETE FROM searchgate_budget_totals WHERE (organization_id, budget_id) IN
  (SELECT organization_id, budget_id FROM searchgate_budget_totals
    WHERE is_kept = 0 AND latest_day < ? AND held = 0 ORDER BY latest_day LIMIT ?)`;

/** Forgets old holds and claims. */
export interface Forgetting {
  /**
   * Called with the number of operations of each transaction, at its end. A call is two operations and leaves a hold, or four and leaves a hold and a claim: as
   * many rows of each are forgotten as there were operations, so they go at least twice as fast as they come, whatever the rate is.
   */
  afterBatch(state: SqliteState, operations: number): void;
  /** Up to `most` of each, and of idle budgets. @returns whether there may be more. */
  forget(state: SqliteState, most: number): boolean;
}

export function createForgetting(endedHoldRetentionMs: number): Forgetting {
  let operationsSince = 0;

  function prune(state: SqliteState, most: number): boolean {
    const holds = pruneEndedHolds(state, state.nowMs - endedHoldRetentionMs, most);
    const claims = pruneClaims(state, state.nowMs - CLAIM_GRACE_MS, most);
    return holds === most || claims === most;
  }

  return {
    afterBatch(state, operations) {
      operationsSince += operations;
      if (operationsSince < OPERATIONS_BETWEEN) return;
      const most = operationsSince;
      // Before it is tried: where it fails, it is not to fail with the next operations as well.
      operationsSince = 0;
      prune(state, most);
    },
    forget(state, most) {
      const isMore = prune(state, most);
      const idleSince = BigInt(dayOf(state.nowMs) - BUDGET_IDLE_DAYS);
      return state.connection.statement(PRUNE_BUDGETS).run(idleSince, BigInt(most)) === most || isMore;
    },
  };
}

/** Forgets up to `most` holds that ended before `beforeMs`. @returns how many. */
function pruneEndedHolds({ connection }: SqliteState, beforeMs: number, most: number): number {
  return connection.statement(PRUNE_HOLDS).run(BigInt(beforeMs), BigInt(most));
}
