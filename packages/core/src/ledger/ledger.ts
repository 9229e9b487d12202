import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { HoldBudget } from './hold-budget.js';
import type { AdmitRequest, AdmitResult, HoldRecord, HoldRequest, HoldResult, RatesUsed } from './hold-request.js';
import type { IdempotencyStore } from './idempotency-store.js';
import type { InstanceBoard } from './instance-board.js';
import type { CostSource, LedgerEntry } from './ledger-entry.js';
import type { UsageQuery, UsageRow } from './usage.js';

export * from './hold-budget.js';
export * from './hold-request.js';

/**
 * The ledger: the only source of truth for money and admission. It knows credits, holds, charges and rates. Organizations and keys need no registration:
 * each hold names the organization, the key and their limits.
 *
 * Guarantees of every implementation (each line is a test of the conformance suite in `@searchgate/testing`):
 *
 * 1. After every accepted hold: credits − usage − held ≥ 0 for the organization, unless the operator pays for it (`operatorPays`), and usage + held ≤ limit
 *    for the key. The usage of a limit that resets is the usage in its present window. Checking and holding is ONE atomic step: of 200 parallel holds with room for 10 exactly 10 are accepted, in one
 *    process and in several.
 * 2. Counters equal the log: the usage of an organization is the sum of its `charge` and `adjustment` entries, its credits are the sum of its `grant`
 *    entries; the same per key.
 * 3. A hold ends exactly once; the first ending stands. Later `settle` and `release` calls change nothing and return the first ending, with one
 *    exception (5).
 * 4. `settle` may charge more than was held (dynamic prices): the true cost is charged. The overshoot of a budget is bounded by the sum, over calls in
 *    flight, of true cost − held.
 * 5. An expiry charges nothing and is not final: the first `settle` or `release` after the expiry still ends the hold, once. A `settle` charges, because the
 *    answer was delivered, and its entry is marked `late`. Both book their losses. So the operator's debt to providers is the `upstreamCost` of charges plus
 *    the losses, also if the ledger was away for longer than a hold lives.
 * 6. A durable ledger acknowledges an operation only when the operation survives `kill -9`; an unacknowledged operation has either happened wholly or not at
 *    all.
 * 7. Unknown holds, malformed ids, negative amounts (except in `adjust`), amounts over 2^62 and other malformed arguments are refused with a `LedgerError`
 *    (`unknown_hold`, `invalid_id`, `invalid_amount`, `invalid_argument`) and change nothing.
 * 8. A refusal distinguishes exhaustion from contention: `fitsWithoutHolds` tells whether the hold would be accepted without the open holds.
 * 9. A charge or adjustment counts in the windows (`limitWindowAt`) of its entry's `atMs`, on the clock of the ledger. A hold made before a window ends and
 *    settled after that counts in the new window. Held amounts count against every window. Windows only move forward: if a clock is set back, the latest
 *    window seen stays the present window.
 * 10. Credits, usage, usage in each window and held amounts of every organization and key stay within ±(2^63 − 1) nanodollars. An operation that would pass
 *    this bound is refused with `invalid_amount` and changes nothing.
 * 11. A hold decides in the same atomic step, and in this order: slots of the key, slots of the organization, rate of the key, rate of the organization,
 *    limit of the key, budgets in the order of the request, credits. A refused hold uses nothing, also no part of a rate. Of 200 parallel holds with 10 slots, or a rate of 10, exactly 10 are
 *    accepted, in one process and in several.
 * 12. Slots (`keyMaxConcurrent`, `organizationMaxConcurrent`) are counted as open holds: a hold that is settled, released or expired frees its slot, once.
 *    Slots are counted also without a limit, so that a limit that is set later applies at once.
 * 13. A rate is a leaky bucket (`rateUsedAt`) on the clock of the ledger. The used part is stored in requests, whatever the limit was at the time. After the
 *    clock is set back, the used part stays and drains from the new time on. A drained rate is not stored.
 * 14. The sums of `usage` equal the log at every moment: an entry and its part of the sums are one atomic step. The sums outlive removed entries.
 *
 * 15. A budget counts what the calls that name it are charged and hold, with the windows of a key's limit: 1, 2, 4, 9 and 10 hold for each budget as for a key.
 *    Budgets belong to their organization. An organization has at most 100,000 counters of budgets: a hold or an adjustment that would make one more is
 *    refused with `too_many_budgets`. `expireHolds` forgets counters that are not kept (`HoldBudget.isKept`) and were idle for 71 days.
 *
 * Every operation may reject with an error of the engine; the gateway turns such an error into `ledger_unavailable`. Ids are 1 to 128 printable ASCII
 * characters without spaces, neither `.` nor `..`; other texts are at most 1,000 characters. Times are whole milliseconds since the Unix epoch. Processes that
 * share a ledger may disagree about the time: a shared ledger uses the clock of its engine, and shifts the given times (`expiresAtMs`, `nowMs`) by the
 * difference, so that no process ends the holds of another process early. `LEDGER_CHECKS` refuse all other arguments, the same way in
 * every ledger.
 */
export interface Ledger {
  /**
   * Adds credits to an organization. A `grantId` belongs to its organization; repeated, it adds nothing and returns `applied: false`.
   * @throws LedgerError `duplicate_grant` if the organization used the id for another amount; the note may differ.
   */
  grant(grant: Grant): Promise<Applied>;

  /**
   * Corrects an organization's usage (and that of a key and of budgets, when named) by a signed amount, audited. The same `adjustmentId` of an organization applies once.
   * @throws LedgerError `duplicate_adjustment` if the organization used the id for another key, amount or budgets; the note may differ. `too_many_budgets`.
   */
  adjust(adjustment: Adjustment): Promise<Applied>;

  /**
   * Reserves an amount against BOTH the organization's balance and the key's limit, in one atomic step, or refuses with the reason. With `acceptableAmounts`,
   * holds the largest amount that fits both. An amount of zero is held as well. A refused hold does not use its id.
   * @throws LedgerError `duplicate_hold` if a hold with this id was accepted before, open or ended.
   */
  hold(request: HoldRequest): Promise<HoldResult>;

  /** Counts a request without a hold, such as a replayed answer, against the rates only, in the order of a hold. */
  admit(request: AdmitRequest): Promise<AdmitResult>;

  /** The used part of the given rates, `null` for a rate that is not given. Changes nothing. */
  ratesUsed(request: AdmitRequest): Promise<RatesUsed>;

  /**
   * Ends a hold with the true cost and writes the `charge` entry, whose id is the hold's id. Also ends an expired hold.
   * @throws LedgerError `unknown_hold`, also for a forgotten hold.
   */
  settle(holdId: string, charge: Charge): Promise<HoldEnding>;

  /**
   * Ends a hold without a charge. `losses` become `loss` entries. Also ends an expired hold: the ending is then `released` and `first`.
   * @throws LedgerError `unknown_hold`, also for a forgotten hold, because the owner of the losses is then unknown.
   */
  release(holdId: string, release: Release): Promise<HoldEnding>;

  /**
   * Ends every hold whose `expiresAtMs` is at or before `nowMs`, left behind by a process that died. Frees the held amount, and writes an `expired` entry for
   * each hold. @returns the number of ended holds.
   */
  expireHolds(nowMs: number): Promise<number>;

  /** All zero for an unknown organization. */
  organizationTotals(organizationId: string): Promise<OrganizationTotals>;

  /** All zero for an unknown key. @param limitReset the window of `windowUsage`; absent or `null` for all time. */
  keyTotals(keyId: string, limitReset?: LimitReset | null): Promise<KeyTotals>;

  /** The totals of budgets of an organization, in the order of the argument; all zero for an unknown budget. At most 100 budgets. */
  budgetTotals(
    organizationId: string,
    budgets: readonly Pick<HoldBudget, 'id' | 'limitReset'>[],
  ): Promise<readonly KeyTotals[]>;

  /** The sums of the log by group, in the order of the groups. Reads stored sums, never the log. */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;

  /** Returns an open hold, or an ended hold still retained; `undefined` for all other ids. */
  findHold(holdId: string): Promise<HoldRecord | undefined>;

  /** A page of the immutable log in the order of writing, oldest first. */
  entries(query?: EntryQuery): Promise<EntryPage>;

  /** The store of `Idempotency-Key`s. Without a store the gateway uses its own memory, which is right only for a single process. */
  readonly idempotency?: IdempotencyStore | undefined;

  /** Where the processes that share the ledger tell that they live. Absent for a ledger of one process. */
  readonly instances?: InstanceBoard | undefined;

  /** Flushes and frees resources. Afterwards every operation rejects with `LedgerError` `ledger_closed`. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Credits for an organization. */
export interface Grant {
  /** Applied once: a repeated id changes nothing. */
  readonly grantId: string;
  /** Whose credits grow. */
  readonly organizationId: string;
  /** Nanodollars, zero or more. */
  readonly amount: NanoUsd;
  /** Why; may be empty. */
  readonly note: string;
}

/** A correction of usage. */
export interface Adjustment {
  /** Applied once: a repeated id changes nothing. */
  readonly adjustmentId: string;
  /** Whose usage changes. */
  readonly organizationId: string;
  /** The key whose usage changes too. Default: none. */
  readonly keyId?: string | undefined;
  /** The ids of budgets whose usage changes too, each once, at most four. Default: none. */
  readonly budgets?: readonly string[] | undefined;
  /** Positive raises usage, negative lowers it. */
  readonly amount: NanoUsd;
  /** Why; may be empty. */
  readonly note: string;
}

/** `applied: false`: this id was applied before and nothing changed. */
export interface Applied {
  /** Whether this call changed something. */
  readonly applied: boolean;
}

/** How a hold is settled. */
export interface Charge {
  /** Nanodollars that the caller pays; may be more than was held. */
  readonly cost: NanoUsd;
  /** The slug that ran and the provider that served it. */
  readonly model: string;
  /** The id of the provider; of a cached answer, that of the first call. */
  readonly provider: string;
  /** Where the cost comes from. */
  readonly costSource: CostSource;
  /** The part of the cost that the operator owes the provider, before markup: zero for a cached or shared answer. Absent if unknown. */
  readonly upstreamCost?: NanoUsd | undefined;
  /** What the vendor billed to the organization, whose own key was used. In no usage. Absent where it was the operator's. */
  readonly tenantCost?: NanoUsd | undefined;
  /** Failed attempts before the successful attempt, which the operator may have to pay for. */
  readonly losses?: readonly Loss[] | undefined;
}

/** Why a hold ends without a charge. */
export interface Release {
  /** Why nothing was charged, such as `upstream_timeout`. */
  readonly reason: string;
  /** Failed attempts, which the operator may have to pay for. */
  readonly losses?: readonly Loss[] | undefined;
}

/** The cost of an attempt that no caller was charged for, and that the operator may owe a provider. In no caller's usage. */
export interface Loss {
  /** The slug that was asked. */
  readonly model: string;
  /** The id of the provider that failed. */
  readonly provider: string;
  /** Nanodollars, before markup. */
  readonly cost: NanoUsd;
  /** Why the attempt failed. */
  readonly reason: string;
}

/** How a hold ended: by this call, or (`first: false`) by an earlier call, whose result is repeated. */
export interface HoldEnding {
  /** How it ended first. */
  readonly status: 'settled' | 'released' | 'expired';
  /** The charge; `0n` unless settled. */
  readonly cost: NanoUsd;
  /** Whether this call ended it. */
  readonly first: boolean;
}

/** The balance of an organization: it may spend `credits - usage - held`. */
export interface OrganizationTotals {
  /** Nanodollars granted so far. */
  readonly credits: NanoUsd;
  /** Nanodollars of all time: charges and adjustments. */
  readonly usage: NanoUsd;
  /** Nanodollars in its open holds. */
  readonly held: NanoUsd;
}

/** What a key or a budget has spent and holds. */
export interface KeyTotals {
  /** Of all time. */
  readonly usage: NanoUsd;
  /** Nanodollars in its open holds. */
  readonly held: NanoUsd;
  /** In the present window of the given reset; of all time without a reset. */
  readonly windowUsage: NanoUsd;
  /** When that window ends, `null` for all time. After the clock was set back, the window is the latest window in which the key was used. */
  readonly resetsAtMs: number | null;
}

/** Which entries of the log. Default: all, from the first. */
export interface EntryQuery {
  /** Only of this organization. */
  readonly organizationId?: string | undefined;
  /** Only of this key. */
  readonly keyId?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
  /** `nextCursor` of the page before. @throws LedgerError `invalid_cursor` */
  readonly cursor?: string | undefined;
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined;
}

/** A page of the log. */
export interface EntryPage {
  /** In the order of the log. */
  readonly entries: readonly LedgerEntry[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}
