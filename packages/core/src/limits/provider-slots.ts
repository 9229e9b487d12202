import { createSemaphore } from './fair-shares.js';

/** The slots of one provider. No organization can hold so many that the others find none. */
export interface ProviderSlots {
  /** Notes that an organization asks for a slot. */
  asked(organizationId: string): void;
  /** Whether the organization may take a slot now. */
  hasRoomFor(organizationId: string): boolean;
  /** Whether the organization may take no slot because of our connections, not because of a limit of the provider. */
  lacksConnectionFor(organizationId: string): boolean;
  /** Only when {@link hasRoomFor} says so. */
  take(organizationId: string): void;
  /** Once for each {@link take}. */
  free(organizationId: string): void;
  heldBy(organizationId: string): number;
}

export interface ProviderSlotsOptions {
  /** Most connections of ours to the provider. */
  readonly connections: number;
  /** Most requests that the provider allows at once; `undefined` for no limit. */
  readonly maxConcurrent: number | undefined;
  monotonic(): number;
}

/**
 * An organization may hold this many times the number of free slots. So a single organization holds three quarters, each of two 3/7, each of ten 3/31,
 * and a slot is left for the next organization that asks.
 */
const TIMES_FREE = 3;
/** How long an organization that has asked counts as an organization that asks. */
const RECENT_MS = 300_000;

export function createProviderSlots({ connections, maxConcurrent, monotonic }: ProviderSlotsOptions): ProviderSlots {
  const slots = createSemaphore({ total: connections, perOrganization: connections });
  const callers = createRecentCallers(RECENT_MS);

  /** Extra connections cost little, so the share of connections holds even for a single organization. */
  const lacksConnectionFor = (organizationId: string) =>
    slots.heldBy(organizationId) >= TIMES_FREE * (connections - slots.held);

  /** A provider's limit cannot be raised at will, so a single organization may use all of it while no other organization asks. */
  function isWithinLimit(organizationId: string): boolean {
    if (maxConcurrent === undefined) return true;
    const free = maxConcurrent - slots.held;
    if (free <= 0) return false;
    return slots.heldBy(organizationId) < TIMES_FREE * free || callers.isAlone(organizationId, monotonic());
  }

  return {
    asked(organizationId) {
      if (maxConcurrent !== undefined) callers.called(organizationId, monotonic());
    },
    hasRoomFor: (organizationId) => !lacksConnectionFor(organizationId) && isWithinLimit(organizationId),
    lacksConnectionFor,
    take: slots.take,
    free: slots.free,
    heldBy: slots.heldBy,
  };
}

/** Tells whether an organization is the only one that has called lately. Remembers two times, however many organizations there are. */
export interface RecentCallers {
  called(organizationId: string, nowMs: number): void;
  isAlone(organizationId: string, nowMs: number): boolean;
}

/** @param windowMs how long a call counts as recent. */
export function createRecentCallers(windowMs: number): RecentCallers {
  let last = '';
  let lastMs = -Infinity;
  /** When an organization other than the last one called. */
  let otherMs = -Infinity;

  return {
    called(organizationId, nowMs) {
      if (organizationId !== last) otherMs = lastMs;
      last = organizationId;
      lastMs = nowMs;
    },
    isAlone: (organizationId, nowMs) => nowMs - (organizationId === last ? otherMs : lastMs) > windowMs,
  };
}
