import type { NanoUsd } from '../base/money.js';
import type { RateState } from '../base/time/rate-limit.js';
import type { HoldEnding, HoldRequest } from './ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import type { LimitWindows, WindowedUsage } from './window-usage.js';

/** What is counted of an organization. */
export interface OrganizationCounters {
  credits: NanoUsd;
  usage: NanoUsd;
  held: NanoUsd;
  /** Open holds that take a slot. */
  inFlight: number;
}

/** What is counted of a key. */
export interface KeyCounters extends WindowedUsage {
  held: NanoUsd;
  /** Open holds that take a slot. */
  inFlight: number;
}

/** Whose rate it is. */
export type RateSubject = 'key' | 'organization';

/** The counters a hold is counted in. */
export interface HoldCounters {
  readonly organization: OrganizationCounters;
  readonly key: KeyCounters;
}

/** The same, for reading only. */
interface ReadCounters {
  readonly organization: Readonly<OrganizationCounters>;
  readonly key: Readonly<KeyCounters>;
}

/** An open hold, as far as every ledger has to know it. */
export interface StoredHold {
  readonly id: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly model: string;
  readonly amount: NanoUsd;
  readonly usesSlot: boolean;
  readonly tag: string | undefined;
}

/** Which slug ran, and by whom it was served. */
export interface Served {
  readonly model: string;
  readonly provider: string;
}

/** How a hold has ended. One that has expired is still ended by a settle or release that comes late. */
export type EndedHold = Pick<HoldEnding, 'status' | 'cost'>;

/** An entry whose id applies once. */
export type AppliedEntry = Extract<LedgerEntry, { kind: 'grant' | 'adjustment' }>;

/**
 * What the money operations (`placeHold`, `settleHold` and so on) decide by and change: the state of a ledger whose engine works synchronously, within one
 * atomic step. Every operation checks all it has to before it changes anything, so one that throws a `LedgerError` has changed nothing.
 */
export interface LedgerState<H extends StoredHold = StoredHold> {
  /** What stamps entries. */
  now(): number;
  /** The present windows at a time `now` gave. */
  windows(nowMs: number): LimitWindows;
  /** For reading only; all zero for an organization never seen. */
  readOrganization(id: string): Readonly<OrganizationCounters>;
  /** For reading only; all zero for a key never seen. */
  readKey(id: string): Readonly<KeyCounters>;
  /** What is used of a rate; `undefined` where nothing is, or where what was used has been forgotten since it drained. */
  readRate(subject: RateSubject, id: string): RateState | undefined;
  /** @param drainsAtMs from when on it may be forgotten. */
  setRate(subject: RateSubject, id: string, rate: RateState & { readonly drainsAtMs: number }): void;
  /** To be changed in place. */
  organization(id: string): OrganizationCounters;
  /** To be changed in place. */
  key(id: string): KeyCounters;
  /** Those of a hold, to be changed in place. */
  countersOf(hold: H): HoldCounters;
  /** The entry of a grant or an adjustment of this id. */
  findApplied(
    kind: AppliedEntry['kind'],
    id: string,
  ): Pick<AppliedEntry, 'organizationId' | 'keyId' | 'amount'> | undefined;
  findOpenHold(id: string): H | undefined;
  findEndedHold(id: string): (EndedHold & { readonly hold: H }) | undefined;
  /**
   * @param counters as `readOrganization` and `readKey` gave them.
   * @returns `undefined`, having changed nothing, where the id was used before.
   */
  addHold(request: HoldRequest, amount: NanoUsd, counters: ReadCounters): H | undefined;
  /** Stores how a hold has ended, also one that had expired before. @param served of one that was settled. */
  endHold(hold: H, ended: EndedHold, served?: Served): void;
  /** Writes an entry in the log, and adds it to the sums of `usage`. @param hold that it is of. */
  append(entry: LedgerEntry, hold?: H): void;
}

export const NO_ORGANIZATION_COUNTERS: Readonly<OrganizationCounters> = Object.freeze({
  credits: 0n,
  usage: 0n,
  held: 0n,
  inFlight: 0,
});

export const NO_KEY_COUNTERS: Readonly<KeyCounters> = Object.freeze({
  usage: 0n,
  held: 0n,
  inFlight: 0,
  latestDay: 0,
  beforeDay: 0n,
  beforeWeek: 0n,
  beforeMonth: 0n,
});
