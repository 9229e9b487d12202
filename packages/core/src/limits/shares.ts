/** How many may do a thing at once. */
export interface ShareBounds {
  readonly total: number;
  /** Of one organization, and so of each of its keys. */
  readonly perOrganization: number;
}

/** Counts what organizations do at once. None can have more than its share. */
export interface Shares {
  /** @returns `false` where there is no room. */
  take(organizationId: string): boolean;
  /** Once for each {@link take}. */
  free(organizationId: string): void;
}

export function createShares({ total, perOrganization }: ShareBounds): Shares {
  /** Only of organizations that have any. */
  const taken = new Map<string, number>();
  let all = 0;

  return {
    take(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      if (all >= total || own >= perOrganization) return false;
      taken.set(organizationId, own + 1);
      all += 1;
      return true;
    },
    free(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      if (own > 1) taken.set(organizationId, own - 1);
      else taken.delete(organizationId);
      all -= 1;
    },
  };
}
