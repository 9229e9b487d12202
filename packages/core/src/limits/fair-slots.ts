import { createRecentCallers } from './recent-callers.js';

/** Semaphore at one provider, of which no organization can hold so many that the others find none. */
export interface FairSlots {
  /** Notes that an organization asks for a slot. */
  asked(organizationId: string): void;
  /** Whether the organization may take one more now. */
  hasRoomFor(organizationId: string): boolean;
  /** Whether it is connections that the organization may take no more of: ours, and no limit of the provider. */
  lacksConnectionFor(organizationId: string): boolean;
  take(organizationId: string): void;
  /** Once for each {@link take}. */
  free(organizationId: string): void;
  heldBy(organizationId: string): number;
}

export interface FairPlacesOptions {
  /** Most connections: slots of our own. */
  readonly connections: number;
  /** What the provider allows at once; `undefined` for no limit. */
  readonly maxConcurrent: number | undefined;
  monotonic(): number;
}

/**
 * An organization may hold this many times what is free. So one alone holds three quarters, two of them 3/7 each, ten of them 3/31 each, and something
 * is left for the next one to come.
 */
const TIMES_FREE = 3;
/** How long an organization that has asked counts as one that asks. */
const RECENT_MS = 300_000;

export function createFairSlots({ connections, maxConcurrent, monotonic }: FairPlacesOptions): FairSlots {
  /** Only of organizations that hold any. */
  const held = new Map<string, number>();
  const callers = createRecentCallers(RECENT_MS);
  let all = 0;

  const heldBy = (organizationId: string) => held.get(organizationId) ?? 0;
  /** Of connections the share holds always; more of them cost little. */
  const lacksConnectionFor = (organizationId: string) => heldBy(organizationId) >= TIMES_FREE * (connections - all);

  /** A provider's limit cannot be raised at will, so while one organization alone asks, it may use all of it. */
  function isWithinLimit(organizationId: string): boolean {
    if (maxConcurrent === undefined) return true;
    const free = maxConcurrent - all;
    if (free <= 0) return false;
    return heldBy(organizationId) < TIMES_FREE * free || callers.isAlone(organizationId, monotonic());
  }

  return {
    asked(organizationId) {
      if (maxConcurrent !== undefined) callers.called(organizationId, monotonic());
    },
    hasRoomFor: (organizationId) => !lacksConnectionFor(organizationId) && isWithinLimit(organizationId),
    lacksConnectionFor,
    take(organizationId) {
      held.set(organizationId, heldBy(organizationId) + 1);
      all += 1;
    },
    free(organizationId) {
      const left = heldBy(organizationId) - 1;
      if (left > 0) held.set(organizationId, left);
      else held.delete(organizationId);
      all -= 1;
    },
    heldBy,
  };
}
