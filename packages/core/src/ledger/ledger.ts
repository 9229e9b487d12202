import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { AdmitRequest, AdmitResult, HoldRecord, HoldRequest, HoldResult, RatesUsed } from './hold-request.js';
import type { IdempotencyStore } from './idempotency-store.js';
import type { CostSource, LedgerEntry } from './ledger-entry.js';
import type { UsageQuery, UsageRow } from './usage.js';

export {
  type AdmissionRefused,
  type AdmitRequest,
  type AdmitResult,
  type BudgetRefused,
  type HoldAccepted,
  type HoldRecord,
  type HoldRefused,
  type HoldRequest,
  type HoldResult,
  MAX_SMALLER_AMOUNTS,
  type RatesUsed,
} from './hold-request.js';

/**
 * The ledger: the one source of truth for money and for who may come in. It knows credits, holds, charges, rates and nothing else; it needs no
 * registration of organizations or keys, since each hold names the organization, the key and their limits.
 *
 * What every implementation guarantees (each line is a test of the conformance suite in `@searchgate/testing`):
 *
 * 1. After every accepted hold: credits − usage − held ≥ 0 for the organization, and usage + held ≤ limit for the key, where the usage of a
 *    limit that resets is that of its present window. Checking and holding is ONE atomic step: 200 parallel holds against room for 10 give
 *    exactly 10, in one process and in several.
 * 2. Counters equal the log: an organization's usage is the sum of its `charge` and `adjustment` entries, credits the sum of its
 *    `grant` entries; the same per key.
 * 3. A hold ends exactly once; the first ending stands. Later `settle` and `release` calls change nothing and return the
 *    first ending, with one exception (5).
 * 4. `settle` may charge more than was held (dynamic prices): the true cost is charged. The overshoot of a budget is bounded by
 *    the sum, over calls in flight, of true cost − held.
 * 5. An expiry charges nothing, and is not the last word: the first `settle` or `release` that arrives after it still ends the hold, once.
 *    A `settle` charges, and its entry is marked `late`: the answer was delivered. Either one books its losses. So what the operator owes providers is the
 *    `upstreamCost` of charges and the losses, also where the ledger was away for longer than a hold lives.
 * 6. A durable ledger acknowledges an operation only when it survives `kill -9`; an unacknowledged operation is wholly there or not at all.
 * 7. Unknown holds, malformed ids, negative amounts (except in `adjust`), amounts over 2^62 and other malformed arguments are
 *    refused with a `LedgerError` (`unknown_hold`, `invalid_id`, `invalid_amount`, `invalid_argument`) and change nothing.
 * 8. A refusal says whether it is exhaustion or contention: `fitsWithoutHolds` says whether the hold would have been accepted had nothing
 *    been in flight.
 * 9. A charge or adjustment counts in the windows (`limitWindowAt`) its entry's `atMs` falls into, on the ledger's own clock; a hold made before a
 *    window ends and settled after counts in the new one. What is held counts against every window. Windows only move forward: where a
 *    clock is set back, the latest window seen stays the present one.
 * 10. Credits, usage, usage in each window and held amounts of every organization and key stay within ±(2^63 − 1) nanodollars. What
 *    would pass that is refused with `invalid_amount` and changes nothing.
 *
 * 11. A hold decides in the same atomic step, and in this order: slots of the key, slots of the organization, rate of the key, rate of the
 *    organization, limit of the key, credits. A refused hold uses nothing, also nothing of a rate. 200 parallel holds against 10 slots, or a rate
 *    of 10, give exactly 10, in one process and in several.
 * 12. Semaphore (`keyMaxConcurrent`, `organizationMaxConcurrent`) are counted as holds that have not ended: a hold that is settled, released or expired
 *    gives its slot back, once. They are counted whether or not a limit is given, so that one that is set later holds at once.
 * 13. A rate is a leaky bucket (`rateUsedAt`) on the ledger's own clock. What is used is kept in requests, whatever the limit was at the time. A clock
 *    that is set back drains nothing, and what is used then drains from the clock's new time on. Nothing is kept of a rate that has drained.
 * * 14. The sums of `usage` equal the log at every moment: an entry and its part of the sums are one atomic step. They outlive entries that are removed.
 *
 * Every operation may reject with the engine's own error when the engine fails; the gateway turns that into `ledger_unavailable`.
 * Ids are 1 to 128 printable ASCII characters without spaces, neither `.` nor `..`; other texts are at most 1,000 characters. Times are whole milliseconds
 * since the Unix epoch. Processes that share a ledger may disagree about the time: a ledger they share has one clock, the engine's, and moves
 * the times it is given (`expiresAtMs`, `nowMs`) by the difference, so that no process ends the holds of another early. `checkHoldRequest` and its siblings refuse everything else, the same way in every ledger.
 */
export interface Ledger {
  /**
   * Adds credits to an organization. The same `grantId` a second time adds nothing and reports `applied: false`.
   * @throws LedgerError `duplicate_grant` when the id was used for another organization or amount; the note may differ.
   */
  grant(grant: Grant): Promise<Applied>;

  /**
   * Corrects an organization's usage (and a key's, when named) by a signed amount, audited. The same `adjustmentId` applies once.
   * @throws LedgerError `duplicate_adjustment` when the id was used for another organization, key or amount; the note may differ.
   */
  adjust(adjustment: Adjustment): Promise<Applied>;

  /**
   * Sets an amount aside against BOTH the organization's balance and the key's limit, in one atomic step, or refuses and says why.
   * Where `acceptableAmounts` are given, the largest of all amounts that fits both is held. An amount of zero is held like any other.
   * A refused hold does not use up its id.
   * @throws LedgerError `duplicate_hold` when a hold of this id was accepted before, ended or not.
   */
  hold(request: HoldRequest): Promise<HoldResult>;

  /** Counts a request that needs no hold, such as a replayed answer, against the rates alone, in the order of a hold. */
  admit(request: AdmitRequest): Promise<AdmitResult>;

  /** How much of these rates is used at present, each `null` where none is given. Changes nothing. */
  ratesUsed(request: AdmitRequest): Promise<RatesUsed>;

  /**
   * Ends a hold with the true cost and writes the `charge` entry, whose id is the hold's id. After an expiry too.
   * @throws LedgerError `unknown_hold`, also for a hold that was forgotten.
   */
  settle(holdId: string, charge: Charge): Promise<HoldEnding>;

  /**
   * Ends a hold without a charge. `losses` become `loss` entries. After an expiry too: then the ending is `released` and `first`.
   * @throws LedgerError `unknown_hold`, also for a hold that was forgotten: whose losses they are is not known then.
   */
  release(holdId: string, release: Release): Promise<HoldEnding>;

  /**
   * Ends every hold whose `expiresAtMs` is at or before `nowMs`: left behind by a process that died. Frees what it held, and writes one `expired` entry
   * each. @returns how many holds it ended.
   */
  expireHolds(nowMs: number): Promise<number>;

  /** All zero for an organization never seen. */
  organizationTotals(organizationId: string): Promise<OrganizationTotals>;

  /** All zero for a key never seen. @param limitReset which window `windowUsage` is of; absent or `null` for all time. */
  keyTotals(keyId: string, limitReset?: LimitReset | null): Promise<KeyTotals>;

  /**
   * What the log adds up to, group by group, in the order of the groups. Reads sums, never the log.
   */
  usage(query: UsageQuery): Promise<readonly UsageRow[]>;

  /** What is known of a hold: of an open one, or of one that ended not so long ago that it was forgotten. `undefined` for all others. */
  findHold(holdId: string): Promise<HoldRecord | undefined>;

  /** A page of the immutable log in the order it was written, oldest first. */
  entries(query?: EntryQuery): Promise<EntryPage>;

  /** Where claims of `Idempotency-Key`s are kept. Without one the gateway keeps them in its own memory, which is right for one process alone. */
  readonly idempotency?: IdempotencyStore | undefined;

  /** Flushes and frees. Afterwards every operation rejects with `LedgerError` `ledger_closed`; closing twice is harmless. */
  close(): Promise<void>;
}

export interface Grant {
  readonly grantId: string;
  readonly organizationId: string;
  readonly amount: NanoUsd;
  readonly note: string;
}

export interface Adjustment {
  readonly adjustmentId: string;
  readonly organizationId: string;
  readonly keyId?: string | undefined;
  /** Positive raises usage, negative lowers it. */
  readonly amount: NanoUsd;
  readonly note: string;
}

/** `applied: false`: this id was applied before and nothing changed. */
export interface Applied {
  readonly applied: boolean;
}

export interface Charge {
  readonly cost: NanoUsd;
  /** The slug that ran and the provider that served it. */
  readonly model: string;
  readonly provider: string;
  readonly costSource: CostSource;
  /** What of the cost the operator owes the provider, before markup: zero for an answer that was there already. Absent where it is not known. */
  readonly upstreamCost?: NanoUsd | undefined;
  /** Failed attempts before the one that answered, which the operator may owe money for. */
  readonly losses?: readonly Loss[] | undefined;
}

export interface Release {
  /** Why nothing was charged, such as `upstream_timeout`. */
  readonly reason: string;
  readonly losses?: readonly Loss[] | undefined;
}

/** Money the operator may owe a provider for an attempt no caller was charged for. In no caller's usage. */
export interface Loss {
  readonly model: string;
  readonly provider: string;
  readonly cost: NanoUsd;
  /** Why the attempt failed. */
  readonly reason: string;
}

/** How a hold ended: by this call, or (`first: false`) by an earlier one, whose result is repeated. */
export interface HoldEnding {
  readonly status: 'settled' | 'released' | 'expired';
  /** What was charged; `0n` unless settled. */
  readonly cost: NanoUsd;
  readonly first: boolean;
}

export interface OrganizationTotals {
  readonly credits: NanoUsd;
  readonly usage: NanoUsd;
  readonly held: NanoUsd;
}

export interface KeyTotals {
  /** Of all time. */
  readonly usage: NanoUsd;
  readonly held: NanoUsd;
  /** Of the present window of the reset asked about; of all time where none was. */
  readonly windowUsage: NanoUsd;
  /** When that window ends: the latest one the key was used in, where the clock was set back. `null` for all time. */
  readonly resetsAtMs: number | null;
}

export interface EntryQuery {
  readonly organizationId?: string | undefined;
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

export interface EntryPage {
  readonly entries: readonly LedgerEntry[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}
