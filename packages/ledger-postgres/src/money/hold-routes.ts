/**
 * Remembers to which organization the holds of this process belong, so that an ending takes the batcher of its hold. Only a matter of
 * speed: an ending whose hold is not known here is as right in any other batcher.
 */
export interface HoldRoutes {
  add(holdId: string, organizationId: string): void;
  /** Forgets the hold. @returns its organization, or the hold's own id. */
  take(holdId: string): string;
}

/** Far more than calls can be in flight; holds that are never ended here are forgotten, the oldest first. */
const MOST_HOLDS = 100_000;

export function createHoldRoutes(): HoldRoutes {
  const organizations = new Map<string, string>();
  return {
    add(holdId, organizationId) {
      organizations.set(holdId, organizationId);
      if (organizations.size > MOST_HOLDS) organizations.delete(organizations.keys().next().value ?? '');
    },
    take(holdId) {
      const organizationId = organizations.get(holdId);
      organizations.delete(holdId);
      return organizationId ?? holdId;
    },
  };
}
