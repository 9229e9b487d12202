/** Tells whether an organization is the only one that has called lately. Remembers two times, however many organizations there are. */
export interface RecentCallers {
  called(organizationId: string, nowMs: number): void;
  isAlone(organizationId: string, nowMs: number): boolean;
}

/** @param windowMs how long a call counts as recent. */
export function createRecentCallers(windowMs: number): RecentCallers {
  let last = '';
  let lastMs = Number.NEGATIVE_INFINITY;
  /** When an organization other than the last one called. */
  let otherMs = Number.NEGATIVE_INFINITY;

  return {
    called(organizationId, nowMs) {
      if (organizationId !== last) otherMs = lastMs;
      last = organizationId;
      lastMs = nowMs;
    },
    isAlone: (organizationId, nowMs) => nowMs - (organizationId === last ? otherMs : lastMs) > windowMs,
  };
}
