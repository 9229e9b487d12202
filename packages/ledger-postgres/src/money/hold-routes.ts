/**
 * Remembers to which organization the holds of this process belong, so that an ending takes the lane of its hold. Only a matter of
 * speed: an ending whose hold is not known here is as right in any other lane.
 */
export interface HoldRoutes {
  add(holdId: string, organizationId: string): void;
  /** Forgets the hold. @returns its organization, or the hold's own id. */
  take(holdId: string): string;
}

/** Far more than calls can be in flight; holds that nobody ends here are forgotten, the oldest first. */
const MOST_HOLDS = 100_000;

export function createHoldRoutes(): HoldRoutes {
  const organizations = new Map<string, string>();
  return {
    add(holdId, organizationId) {
      organizations.set(holdId, organizationId);
      if (organizations.size <= MOST_HOLDS) return;
      for (const oldest of organizations.keys()) {
        organizations.delete(oldest);
        return;
      }
    },
    take(holdId) {
      const organizationId = organizations.get(holdId);
      organizations.delete(holdId);
      return organizationId ?? holdId;
    },
  };
}
