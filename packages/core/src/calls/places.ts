import { RequestError } from '../errors/request-error.js';

/** How many may do a thing at once. */
export interface PlaceLimits {
  readonly total: number;
  /** Of one organization, and so of each of its keys. */
  readonly perOrganization: number;
}

/** Places for a thing that not too many may do at once, of which no organization can hold more than its share. */
export interface Places {
  /** Takes a place. @throws RequestError `overloaded` (503, retry after 1 s) where there is none. */
  take(organizationId: string): void;
  /** Gives a place back, once for each {@link take}. */
  free(organizationId: string): void;
}

const RETRY_MS = 1_000;

export function createPlaces({ total, perOrganization }: PlaceLimits): Places {
  /** Only of organizations that hold any. */
  const taken = new Map<string, number>();
  let all = 0;

  return {
    take(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      if (all >= total || own >= perOrganization) throw new RequestError('overloaded', { retryAfterMs: RETRY_MS });
      taken.set(organizationId, own + 1);
      all += 1;
    },
    free(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      if (own > 1) taken.set(organizationId, own - 1);
      else taken.delete(organizationId);
      all -= 1;
    },
  };
}
