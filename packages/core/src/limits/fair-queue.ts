/** Who waits, and for which organization. */
export interface Waiting {
  readonly organizationId: string;
}

/** A bounded line in which organizations take turns: one that waits often waits behind its own calls, not others behind all of them. */
export interface FairQueue<Waiter extends Waiting> extends Iterable<Waiter> {
  readonly length: number;
  /** @returns `false` where the line, or the organization's part of it, is full. */
  join(waiter: Waiter): boolean;
  /**
   * Takes out the first one of the organization that uses least; of those that use the same, whose turn it is.
   *
   * @param usedBy how much an organization uses now; `Infinity` for one that gets no more. Default: all use the same.
   */
  next(usedBy?: (organizationId: string) => number): Waiter | undefined;
  leave(waiter: Waiter): void;
}

export interface LineBounds {
  readonly total: number;
  readonly perOrganization: number;
}

export function createFairQueue<Waiter extends Waiting>(bounds: LineBounds): FairQueue<Waiter> {
  /** In the order of their turns. Only organizations of which someone waits. */
  const byOrganization = new Map<string, Set<Waiter>>();
  let length = 0;

  function remove(waiter: Waiter): void {
    const own = byOrganization.get(waiter.organizationId);
    if (own?.delete(waiter) !== true) return;
    length -= 1;
    if (own.size === 0) byOrganization.delete(waiter.organizationId);
  }

  return {
    get length() {
      return length;
    },
    join(waiter) {
      const own = byOrganization.get(waiter.organizationId) ?? new Set();
      if (length >= bounds.total || own.size >= bounds.perOrganization) return false;
      byOrganization.set(waiter.organizationId, own.add(waiter));
      length += 1;
      return true;
    },
    next(usedBy = () => 0) {
      let turn: [string, Set<Waiter>] | undefined;
      let least = Number.POSITIVE_INFINITY;
      for (const each of byOrganization) {
        const used = usedBy(each[0]);
        if (used < least) [turn, least] = [each, used];
      }
      if (turn === undefined) return undefined;
      const [organizationId, own] = turn;
      const [waiter] = own;
      // The organization goes behind the others.
      byOrganization.delete(organizationId);
      byOrganization.set(organizationId, own);
      if (waiter !== undefined) remove(waiter);
      return waiter;
    },
    leave: remove,
    *[Symbol.iterator]() {
      for (const own of byOrganization.values()) yield* own;
    },
  };
}
