import { RequestError } from '../base/errors/request-error.js';

/** How many slots there are. */
export interface SemaphoreLimits {
  /** Of all organizations together. */
  readonly total: number;
  /** Of one organization, and so of each of its keys. */
  readonly perOrganization: number;
}

/** A counting semaphore. No organization can hold more slots than its share. */
export interface Semaphore {
  /** Takes a slot. @throws RequestError `overloaded` (503, retry after 1 s) when no slot is free. */
  take(organizationId: string): void;
  /** Takes a slot. @returns `false` when no slot is free. */
  tryTake(organizationId: string): boolean;
  /** Gives a slot back, once for each slot that was taken. */
  free(organizationId: string): void;
  /** How many slots an organization holds. */
  heldBy(organizationId: string): number;
  /** By all organizations. */
  readonly held: number;
}

const RETRY_MS = 1_000;

/** A semaphore with all slots free. */
export function createSemaphore({ total, perOrganization }: SemaphoreLimits): Semaphore {
  /** Only organizations that hold a slot. */
  const slots = new Map<string, number>();
  let held = 0;
  const heldBy = (organizationId: string) => slots.get(organizationId) ?? 0;

  function tryTake(organizationId: string): boolean {
    const own = heldBy(organizationId);
    if (held >= total || own >= perOrganization) return false;
    slots.set(organizationId, own + 1);
    held += 1;
    return true;
  }

  return {
    take(organizationId) {
      if (!tryTake(organizationId)) throw new RequestError('overloaded', { retryAfterMs: RETRY_MS });
    },
    tryTake,
    free(organizationId) {
      const own = heldBy(organizationId);
      if (own > 1) slots.set(organizationId, own - 1);
      else slots.delete(organizationId);
      held -= 1;
    },
    heldBy,
    get held() {
      return held;
    },
  };
}
