import { LedgerError } from '../base/errors/ledger-error.js';
import { madeIn } from '../base/made-in.js';
import type { NanoUsd } from '../base/money.js';
import { type Clock, dayOf } from '../base/time/clock.js';
import type { CheckedEntryQuery } from './create-ledger.js';
import { createExpiryQueue, type Expiring, type ExpiryQueue } from './expiry-queue.js';
import { BUDGET_IDLE_DAYS, budgetIdsOf } from './hold-budget.js';
import type { EntryPage, EntryQuery, HoldRecord, HoldRequest } from './ledger.js';
import type { LedgerEntry } from './ledger-entry.js';
import {
  type AppliedEntry,
  type BudgetCounters,
  type HoldCounters,
  type KeyCounters,
  type LedgerState,
  NO_BUDGET_COUNTERS,
  NO_KEY_COUNTERS,
  NO_ORGANIZATION_COUNTERS,
  type OrganizationCounters,
  type StoredHold,
} from './ledger-state.js';

import { createMemoryRates } from './memory-rates.js';
import { createMemoryUsage, type MemoryUsage, type RecentUsage } from './memory-usage.js';
import { expireHold } from './money-operations.js';
import { createWindowCalendar } from './window-usage.js';

const CURSOR = /^\d{1,15}$/;

/** The newest entries of a memory ledger, in a ring: each new entry replaces the oldest. */
function createMemoryLog(maxEntries: number) {
  const slots: LedgerEntry[] = [];
  // Entries are numbered from 0. Cursors are such numbers.
  let end = 0;

  function startOf(cursor: string | undefined): number {
    const oldest = end - slots.length;
    if (cursor === undefined) return oldest;
    const number = CURSOR.test(cursor) ? Number(cursor) : end;
    if (number < end) return Math.max(number, oldest);
    throw new LedgerError('invalid_cursor', 'cursor: expected the nextCursor of an earlier page of this ledger');
  }

  return {
    append(entry: LedgerEntry): void {
      slots[end % maxEntries] = entry;
      end += 1;
    },
    /**
     * The first `limit` matching entries from the query's cursor on. Entries are copies, so that no caller can change the log. A cursor to a forgotten entry
     * continues at the oldest remembered entry.
     *
     * @throws LedgerError `invalid_cursor`.
     */
    page(query: CheckedEntryQuery): EntryPage {
      const entries: LedgerEntry[] = [];
      for (let number = startOf(query.cursor); number < end; number += 1) {
        const entry = slots[number % maxEntries];
        if (entry === undefined || !matches(entry, query)) continue;
        if (entries.length === query.limit) return { entries, nextCursor: String(number) };
        entries.push({ ...entry });
      }
      return { entries, nextCursor: null };
    },
  };
}

function matches(entry: LedgerEntry, { organizationId, keyId, fromMs, toMs }: EntryQuery): boolean {
  return (
    (organizationId === undefined || entry.organizationId === organizationId) &&
    (keyId === undefined || entry.keyId === keyId) &&
    (fromMs === undefined || entry.atMs >= fromMs) &&
    (toMs === undefined || entry.atMs < toMs)
  );
}

/** The state of a memory ledger. */
export interface MemoryState extends LedgerState<MemoryHold> {
  readonly openByExpiry: ExpiryQueue<MemoryHold>;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly usage: MemoryUsage;
  findHold(id: string): HoldRecord | undefined;
  /** Forgets idle counters of budgets that are not kept, once a day. */
  forgetBudgets(nowMs: number): void;
}

interface MemoryKey extends KeyCounters, RecentUsage {}

/** A hold with its counters, so that no ending has to look them up, and with its ending. */
interface MemoryHold extends StoredHold, Expiring {
  readonly organization: OrganizationCounters;
  readonly key: MemoryKey;
  readonly budgets: readonly BudgetCounters[] | undefined;
  readonly createdAtMs: number;
  status: HoldRecord['status'];
  cost: NanoUsd;
  endedAtMs: number | null;
  /** The slug that ran, or the requested slug if no model ran. */
  ran: string;
  provider: string | null;
}

/** @param maxRemembered the number of remembered entries, and of remembered ended holds. */
export function createMemoryState(clock: Clock, maxRemembered: number): MemoryState {
  const organizations = new Map<string, OrganizationCounters>();
  const keys = new Map<string, MemoryKey>();
  // Open and ended holds in one map, because a look-up in a large map is the most expensive part of a hold.
  const holds = new Map<string, MemoryHold>();
  const rememberEnded = createRing(maxRemembered);
  const openByExpiry = createExpiryQueue<MemoryHold>();
  const applied = { grant: new Map<string, AppliedUse>(), adjustment: new Map<string, AppliedUse>() };
  const log = createMemoryLog(maxRemembered);
  const usage = createMemoryUsage();
  const budgets = createMemoryBudgets();
  const rates = { key: createMemoryRates(), organization: createMemoryRates() };

  const organization = (id: string) => madeIn(organizations, id, newOrganizationCounters);
  const key = (id: string) => madeIn(keys, id, newKeyCounters);

  return {
    openByExpiry,
    log,
    usage,
    now: () => clock.now(),
    windows: createWindowCalendar(),
    readOrganization: (id) => organizations.get(id) ?? NO_ORGANIZATION_COUNTERS,
    readKey: (id) => keys.get(id) ?? NO_KEY_COUNTERS,
    ...budgets,
    readRate: (subject, id) => rates[subject].read(id, clock.now()),
    setRate: (subject, id, rate) => rates[subject].set(id, rate, clock.now()),
    organization,
    key,
    findApplied: (entry) => applied[entry.kind].get(useOf(entry)),
    findOpenHold(id) {
      const hold = holds.get(id);
      return hold?.status === 'open' ? hold : undefined;
    },
    findEndedHold: (id) => endedOf(holds.get(id)),
    findHold: (id) => recordOf(holds.get(id)),
    addHold(request, amount, read) {
      const { holdId: id, organizationId, keyId } = request;
      if (holds.has(id)) return undefined;
      const hold = newHold(request, {
        amount,
        // The counters that were read, or new counters if there were none.
        organization: read.organization === NO_ORGANIZATION_COUNTERS ? organization(organizationId) : read.organization,
        key: read.key === NO_KEY_COUNTERS ? key(keyId) : (read.key as MemoryKey),
        budgets: request.budgets?.map((each) => budgets.budget(organizationId, each.id)),
        createdAtMs: clock.now(),
      });
      holds.set(id, hold);
      openByExpiry.add(hold);
      return hold;
    },
    endHold(hold, { status, cost }, served) {
      hold.status = status;
      hold.cost = cost;
      hold.endedAtMs = clock.now();
      if (served !== undefined) {
        hold.ran = served.model;
        hold.provider = served.provider;
      }
      // A hold that is settled late has ended before.
      if (!openByExpiry.remove(hold)) return;
      const forgotten = rememberEnded(hold.id);
      if (forgotten !== undefined) holds.delete(forgotten);
    },
    append(entry, hold) {
      if (entry.kind === 'grant' || entry.kind === 'adjustment') {
        const { kind, keyId, amount } = entry;
        applied[kind].set(useOf(entry), { keyId, amount, budgets: 'budgets' in entry ? entry.budgets : undefined });
      }
      log.append(entry);
      usage.add(entry, hold?.key);
    },
  };
}

type NewHold = Pick<MemoryHold, 'amount' | 'organization' | 'key' | 'budgets' | 'createdAtMs'>;

/** Sets all fields at once, so that all holds share one hidden class of V8. */
function newHold(request: HoldRequest, own: NewHold): MemoryHold {
  const { amount, organization, key, budgets, createdAtMs } = own;
  return {
    id: request.holdId,
    organizationId: request.organizationId,
    keyId: request.keyId,
    model: request.model,
    amount,
    usesSlot: request.usesSlot ?? true,
    tag: request.tag,
    organization,
    key,
    budgetIds: budgetIdsOf(request.budgets),
    budgets,
    expiresAtMs: request.expiresAtMs,
    queueIndex: -1,
    createdAtMs,
    status: 'open',
    cost: 0n,
    endedAtMs: null,
    ran: request.model,
    provider: null,
  };
}

function endedOf(hold: MemoryHold | undefined): ReturnType<LedgerState<MemoryHold>['findEndedHold']> {
  return hold === undefined || hold.status === 'open' ? undefined : { status: hold.status, cost: hold.cost, hold };
}

function recordOf(hold: MemoryHold | undefined): HoldRecord | undefined {
  if (hold === undefined) return undefined;
  const { id: holdId, organizationId, keyId, status, cost, ran: model, provider, createdAtMs, endedAtMs } = hold;
  return { holdId, organizationId, keyId, status, cost, model, provider, createdAtMs, endedAtMs };
}

/** @returns the number of ended holds. */
export function expireDueHolds(state: MemoryState, nowMs: number): number {
  let ended = 0;
  let due = state.openByExpiry.peek();
  while (due !== undefined && due.expiresAtMs <= nowMs) {
    expireHold(state, due);
    ended += 1;
    due = state.openByExpiry.peek();
  }
  state.forgetBudgets(state.now());
  return ended;
}

type AppliedUse = Pick<AppliedEntry, 'keyId' | 'budgets'> & { readonly amount: NanoUsd };

/** Ids have no spaces. */
function useOf({ organizationId, id }: Pick<AppliedEntry, 'organizationId' | 'id'>): string {
  return `${organizationId} ${id}`;
}

const newOrganizationCounters = (): OrganizationCounters => ({ ...NO_ORGANIZATION_COUNTERS });
const newKeyCounters = (): MemoryKey => ({ ...NO_KEY_COUNTERS, recent: undefined });

/** A ring, in which each new id replaces the oldest. @returns a function that adds an id, and returns the replaced one. */
function createRing(length: number): (id: string) => string | undefined {
  const ids: string[] = [];
  let count = 0;
  return (id) => {
    const replaced = ids[count % length];
    ids[count % length] = id;
    count += 1;
    return replaced;
  };
}

/** The counters of budgets, by organization and id. */
function createMemoryBudgets() {
  const organizations = new Map<string, Map<string, BudgetCounters>>();
  let forgottenOn = 0;
  const budget = (organizationId: string, id: string) =>
    madeIn(madeIn(organizations, organizationId, newBudgets), id, () => ({ ...NO_BUDGET_COUNTERS }));
  return {
    readBudget: (organizationId: string, id: string) =>
      organizations.get(organizationId)?.get(id) ?? NO_BUDGET_COUNTERS,
    budget,
    /** Those of a hold. Once it has expired, the counter of a budget may have been forgotten. */
    countersOf(hold: MemoryHold): HoldCounters {
      if (hold.status === 'open') return hold;
      return { ...hold, budgets: hold.budgetIds?.map((id) => budget(hold.organizationId, id)) };
    },
    countBudgets: (organizationId: string) => organizations.get(organizationId)?.size ?? 0,
    forgetBudgets(nowMs: number) {
      const today = dayOf(nowMs);
      if (today === forgottenOn) return;
      forgottenOn = today;
      for (const budgets of organizations.values())
        for (const [id, { isKept, held, latestDay }] of budgets)
          if (!isKept && held === 0n && today - latestDay > BUDGET_IDLE_DAYS) budgets.delete(id);
    },
  };
}

const newBudgets = () => new Map<string, BudgetCounters>();
