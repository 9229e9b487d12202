import type { NanoUsd } from '../money/money.js';
import type { Clock } from '../time/clock.js';
import type { LimitReset } from '../time/limit-window.js';
import type { KeyBudget } from './decide-hold.js';
import { createExpiryQueue, type Expiring, type ExpiryQueue } from './expiry-queue.js';
import type { HoldEnding, HoldRequest, KeyTotals, OrganizationTotals } from './ledger.js';
import { createMemoryLog, type MemoryLog } from './memory-log.js';
import { createRecentMap, type RecentMap } from './recent-map.js';
import { createWindowCalendar, usageInWindow, type WindowCalendar, type WindowedUsage } from './window-usage.js';

/** Everything a memory ledger knows. */
export interface MemoryBooks {
  readonly clock: Clock;
  readonly organizations: Map<string, OrganizationBook>;
  readonly keys: Map<string, KeyBook>;
  readonly openHolds: Map<string, OpenHold>;
  readonly openByExpiry: ExpiryQueue<OpenHold>;
  readonly pastHolds: RecentMap<PastHold>;
  /** What each id of a grant was used for. */
  readonly grants: Map<string, AppliedGrant>;
  readonly adjustments: Map<string, AppliedAdjustment>;
  readonly log: MemoryLog;
  readonly calendar: WindowCalendar;
}

interface AppliedGrant {
  readonly organizationId: string;
  readonly amount: NanoUsd;
}

interface AppliedAdjustment extends AppliedGrant {
  readonly keyId: string | null;
}

interface Book {
  usage: NanoUsd;
  held: NanoUsd;
}

export interface OrganizationBook extends Book {
  credits: NanoUsd;
}

export interface KeyBook extends Book, WindowedUsage {}

export interface OpenHold extends Expiring {
  readonly id: string;
  readonly organizationId: string;
  readonly keyId: string;
  readonly model: string;
  readonly amount: NanoUsd;
  readonly organization: OrganizationBook;
  readonly key: KeyBook;
}

export interface PastHold {
  readonly status: HoldEnding['status'];
  readonly cost: NanoUsd;
  /** The hold as it was, where it expired without a charge: a late settle still charges it. */
  readonly unpaid?: OpenHold;
}

export const NOTHING_SEEN: OrganizationTotals = Object.freeze({ credits: 0n, usage: 0n, held: 0n });
const NO_BUDGET_USED: KeyBudget = Object.freeze({ usage: 0n, held: 0n, resetsAtMs: null });

/** @param maxRemembered how many entries are kept, and how many ended holds at least. */
export function createMemoryBooks(clock: Clock, maxRemembered: number): MemoryBooks {
  return {
    clock,
    organizations: new Map(),
    keys: new Map(),
    openHolds: new Map(),
    openByExpiry: createExpiryQueue(),
    pastHolds: createRecentMap(maxRemembered),
    grants: new Map(),
    adjustments: new Map(),
    log: createMemoryLog(maxRemembered),
    calendar: createWindowCalendar(),
  };
}

export function totalsOfOrganization(books: MemoryBooks, organizationId: string): OrganizationTotals {
  return { ...(books.organizations.get(organizationId) ?? NOTHING_SEEN) };
}

export function totalsOfKey(books: MemoryBooks, keyId: string, limitReset: LimitReset | null): KeyTotals {
  const key = books.keys.get(keyId);
  if (key === undefined) return { usage: 0n, held: 0n, windowUsage: 0n };
  const { usage, held } = key;
  if (limitReset === null) return { usage, held, windowUsage: usage };
  const present = books.calendar(books.clock.now());
  return { usage, held, windowUsage: usageInWindow(key, limitReset, present) };
}

/** What the limit of a hold's key is measured against. */
export function budgetOfKey(
  { keys, calendar, clock }: MemoryBooks,
  { keyId, keyLimit, keyLimitReset }: HoldRequest,
): KeyBudget {
  const key = keys.get(keyId);
  if (keyLimit === null || keyLimitReset == null) {
    return key === undefined ? NO_BUDGET_USED : { usage: key.usage, held: key.held, resetsAtMs: null };
  }
  const present = calendar(clock.now());
  const { resetsAtMs } = present[keyLimitReset];
  if (key === undefined) return { usage: 0n, held: 0n, resetsAtMs };
  return { usage: usageInWindow(key, keyLimitReset, present), held: key.held, resetsAtMs };
}

/** The book of an organization, made on first sight. */
export function organizationBook(books: MemoryBooks, organizationId: string): OrganizationBook {
  let book = books.organizations.get(organizationId);
  if (book === undefined) {
    book = { credits: 0n, usage: 0n, held: 0n };
    books.organizations.set(organizationId, book);
  }
  return book;
}

/** The book of a key, made on first sight. */
export function keyBook(books: MemoryBooks, keyId: string): KeyBook {
  let book = books.keys.get(keyId);
  if (book === undefined) {
    book = { usage: 0n, held: 0n, latestDay: 0, beforeDay: 0n, beforeWeek: 0n, beforeMonth: 0n };
    books.keys.set(keyId, book);
  }
  return book;
}
