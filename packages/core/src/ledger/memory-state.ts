import type { NanoUsd } from '../money/money.js';
import type { Clock } from '../time/clock.js';
import { createExpiryQueue, type Expiring, type ExpiryQueue } from './expiry-queue.js';
import type { ExpiryPolicy } from './ledger.js';
import {
  type AppliedEntry,
  type EndedHold,
  type HoldCounters,
  type KeyCounters,
  type LedgerState,
  NO_KEY_COUNTERS,
  NO_ORGANIZATION_COUNTERS,
  type OrganizationCounters,
  type StoredHold,
} from './ledger-state.js';
import { createMemoryLog, type MemoryLog } from './memory-log.js';
import { expireHold } from './money-operations.js';
import { createRecentMap } from './recent-map.js';
import { createWindowCalendar } from './window-usage.js';

/** Everything a memory ledger knows. */
export interface MemoryState extends LedgerState<MemoryHold> {
  readonly openByExpiry: ExpiryQueue<MemoryHold>;
  readonly log: MemoryLog;
}

/** Knows its counters, so that no ending has to look for them. */
interface MemoryHold extends StoredHold, HoldCounters, Expiring {}

/** @param maxRemembered how many entries are kept, and how many ended holds at least. */
export function createMemoryState(clock: Clock, maxRemembered: number): MemoryState {
  const organizations = new Map<string, OrganizationCounters>();
  const keys = new Map<string, KeyCounters>();
  const openHolds = new Map<string, MemoryHold>();
  const openByExpiry = createExpiryQueue<MemoryHold>();
  const endedHolds = createRecentMap<EndedHold<MemoryHold>>(maxRemembered);
  const applied = { grant: new Map<string, AppliedUse>(), adjustment: new Map<string, AppliedUse>() };
  const log = createMemoryLog(maxRemembered);

  const organization = (id: string) => madeIn(organizations, id, NO_ORGANIZATION_COUNTERS);
  const key = (id: string) => madeIn(keys, id, NO_KEY_COUNTERS);

  return {
    openByExpiry,
    log,
    now: () => clock.now(),
    windows: createWindowCalendar(),
    readOrganization: (id) => organizations.get(id) ?? NO_ORGANIZATION_COUNTERS,
    readKey: (id) => keys.get(id) ?? NO_KEY_COUNTERS,
    organization,
    key,
    countersOf: (hold) => hold,
    findApplied: (kind, id) => applied[kind].get(id),
    findOpenHold: (id) => openHolds.get(id),
    findEndedHold: (id) => endedHolds.get(id),
    addHold({ holdId: id, organizationId, keyId, model, expiresAtMs }, amount) {
      if (openHolds.has(id) || endedHolds.get(id) !== undefined) return undefined;
      const hold = {
        id,
        organizationId,
        keyId,
        model,
        amount,
        organization: organization(organizationId),
        key: key(keyId),
        expiresAtMs,
        queueIndex: -1,
      };
      openHolds.set(id, hold);
      openByExpiry.add(hold);
      return hold;
    },
    endHold(hold, ended) {
      openHolds.delete(hold.id);
      openByExpiry.remove(hold);
      endedHolds.set(hold.id, ended);
    },
    append(entry) {
      if (entry.kind === 'grant' || entry.kind === 'adjustment') {
        const { kind, id, organizationId, keyId, amount } = entry;
        applied[kind].set(id, { organizationId, keyId, amount });
      }
      log.append(entry);
    },
  };
}

/** @returns how many holds ended. */
export function expireDueHolds(state: MemoryState, nowMs: number, policy: ExpiryPolicy): number {
  let ended = 0;
  let due = state.openByExpiry.peek();
  while (due !== undefined && due.expiresAtMs <= nowMs) {
    expireHold(state, due, policy);
    ended += 1;
    due = state.openByExpiry.peek();
  }
  return ended;
}

type AppliedUse = Pick<AppliedEntry, 'organizationId' | 'keyId'> & { readonly amount: NanoUsd };

function madeIn<T extends object>(map: Map<string, T>, id: string, initial: Readonly<T>): T {
  let counters = map.get(id);
  if (counters === undefined) {
    counters = { ...initial };
    map.set(id, counters);
  }
  return counters;
}
