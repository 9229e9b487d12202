import { RequestError } from '../base/errors/request-error.js';
import { createShares, type ShareBounds } from './shares.js';

/** How many may do a thing at once. */
export type SemaphoreLimits = ShareBounds;

/** Semaphore for a thing that not too many may do at once, of which no organization can hold more than its share. */
export interface Semaphore {
  /** Takes a slot. @throws RequestError `overloaded` (503, retry after 1 s) where there is none. */
  take(organizationId: string): void;
  /** Gives a slot back, once for each {@link take}. */
  free(organizationId: string): void;
}

const RETRY_MS = 1_000;

export function createSemaphore(limits: SemaphoreLimits): Semaphore {
  const shares = createShares(limits);
  return {
    take(organizationId) {
      if (!shares.take(organizationId)) throw new RequestError('overloaded', { retryAfterMs: RETRY_MS });
    },
    free: shares.free,
  };
}
