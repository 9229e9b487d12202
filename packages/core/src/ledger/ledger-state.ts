import type { NanoUsd } from '../base/money.js';
import type { RateState } from '../base/time/rate-limit.js';
import type { HoldEnding, HoldRequest } from './ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import { type LimitWindows, NO_USAGE, type WindowedUsage } from './window-usage.js';

/** The counters of an organization. */
export interface OrganizationCounters {
  /** Nanodollars granted so far. */
  credits: NanoUsd;
  /** Nanodollars of all time: charges and adjustments. */
  usage: NanoUsd;
  /** Nanodollars in its open holds. */
  held: NanoUsd;
  /** Open holds that take a slot. */
  inFlight: number;
}

/** The counters of a key. */
export interface KeyCounters extends WindowedUsage {
  /** Nanodollars in its open holds. */
  held: NanoUsd;
  /** Open holds that take a slot. */
  inFlight: number;
}

/** The counters of a budget of an organization. */
export interface BudgetCounters extends WindowedUsage {
  /** Nanodollars in its open holds. */
  held: NanoUsd;
  /** Whether it is never forgotten. Stays `true` once it was. */
  isKept: boolean;
}

/** The owner of a rate. */
export type RateSubject = 'key' | 'organization';

/** The counters that a hold changes. */
export interface HoldCounters {
  /** Of the organization that pays. */
  readonly organization: OrganizationCounters;
  /** Of the calling key. */
  readonly key: KeyCounters;
  /** Of the budgets of the call, in any order. Absent for none. */
  readonly budgets?: readonly BudgetCounters[] | undefined;
}

/** Counters for reading only. */
interface ReadCounters {
  readonly organization: Readonly<OrganizationCounters>;
  readonly key: Readonly<KeyCounters>;
}

/** The fields of an open hold that every ledger needs. */
export interface StoredHold {
  /** The `holdId` of its request. */
  readonly id: string;
  /** As in its request. */
  readonly organizationId: string;
  /** As in its request. */
  readonly keyId: string;
  /** The requested slug. */
  readonly model: string;
  /** Nanodollars that are held. */
  readonly amount: NanoUsd;
  /** Whether it counts as open. */
  readonly usesSlot: boolean;
  /** `undefined` for none. */
  readonly tag: string | undefined;
  /** The ids of its budgets, in the order of their bytes; `undefined` for none. */
  readonly budgetIds: readonly string[] | undefined;
}

/** The slug that ran and the provider that served it. */
export interface Served {
  /** Its slug. */
  readonly model: string;
  /** Its id. */
  readonly provider: string;
}

/** The ending of a hold. A late settle or release still ends an expired hold. */
export type EndedHold = Pick<HoldEnding, 'status' | 'cost'>;

/** An entry whose id its organization may use only once. */
export type AppliedEntry = Extract<LedgerEntry, { kind: 'grant' | 'adjustment' }> & {
  /** Of an adjustment. Absent for none. */
  readonly budgets?: readonly string[] | undefined;
};

/**
 * The state that the money operations (`placeHold`, `settleHold` and so on) read and change, for a ledger with a synchronous engine, within one atomic step.
 * Every operation makes all its checks before its first change, so an operation that throws a `LedgerError` has changed nothing.
 */
export interface LedgerState<H extends StoredHold = StoredHold> {
  /** The time of new entries, in milliseconds since the Unix epoch. */
  now(): number;
  /** The present windows at a time returned by `now`. */
  windows(nowMs: number): LimitWindows;
  /** For reading only; all zero for an unknown organization. */
  readOrganization(id: string): Readonly<OrganizationCounters>;
  /** For reading only; all zero for an unknown key. */
  readKey(id: string): Readonly<KeyCounters>;
  /** For reading only; {@link NO_BUDGET_COUNTERS} for an unknown budget. */
  readBudget(organizationId: string, id: string): Readonly<BudgetCounters>;
  /** To be changed in place. An unknown budget gets counters. */
  budget(organizationId: string, id: string): BudgetCounters;
  /** How many budgets of an organization have counters. Read only when a call names an unknown budget. */
  countBudgets(organizationId: string): number;
  /** The used part of a rate; `undefined` for an unused rate, or a rate that drained and was forgotten. */
  readRate(subject: RateSubject, id: string): RateState | undefined;
  /** Stores a rate. From `drainsAtMs` on it may be forgotten. */
  setRate(subject: RateSubject, id: string, rate: RateState & { readonly drainsAtMs: number }): void;
  /** To be changed in place. */
  organization(id: string): OrganizationCounters;
  /** To be changed in place. */
  key(id: string): KeyCounters;
  /** The counters of a hold, to be changed in place. */
  countersOf(hold: H): HoldCounters;
  /** The grant or adjustment of this organization that has this id. */
  findApplied(
    entry: Pick<AppliedEntry, 'kind' | 'id' | 'organizationId'>,
  ): Pick<AppliedEntry, 'keyId' | 'amount' | 'budgets'> | undefined;
  /** `undefined` for a hold that is unknown or has ended. */
  findOpenHold(id: string): H | undefined;
  /** `undefined` for a hold that is unknown, open, or forgotten. */
  findEndedHold(id: string): (EndedHold & { readonly hold: H }) | undefined;
  /**
   * @param counters the results of `readOrganization` and `readKey`.
   * @returns `undefined`, without a change, if the id was used before.
   */
  addHold(request: HoldRequest, amount: NanoUsd, counters: ReadCounters): H | undefined;
  /** Stores the ending of a hold, also of a hold that had expired. @param served only for a settled hold. */
  endHold(hold: H, ended: EndedHold, served?: Served): void;
  /** Appends an entry to the log, and adds the entry to the sums of `usage`. @param hold the hold of the entry, if any. */
  append(entry: LedgerEntry, hold?: H): void;
}

/** Of an organization without entries and holds. */
export const NO_ORGANIZATION_COUNTERS: Readonly<OrganizationCounters> = Object.freeze({
  credits: 0n,
  usage: 0n,
  held: 0n,
  inFlight: 0,
});

/** Of a key without entries and holds. */
export const NO_KEY_COUNTERS: Readonly<KeyCounters> = Object.freeze({ ...NO_USAGE, held: 0n, inFlight: 0 });

/** Of a budget without entries and holds. */
export const NO_BUDGET_COUNTERS: Readonly<BudgetCounters> = Object.freeze({ ...NO_USAGE, held: 0n, isKept: false });
