import type { LoggedRequest } from './request-log.js';

/** Calls in the order in which they came, each id once. */
export interface FairRows {
  readonly size: number;
  readonly rows: ReadonlyMap<string, LoggedRequest>;
  /** Does nothing for a known id. */
  add(row: LoggedRequest): void;
  /** Removes the first rows. */
  take(most: number): readonly LoggedRequest[];
  /** @returns how many of these ids were known. */
  remove(ids: Iterable<string>): number;
  /**
   * Removes all rows above a number. The organization with the most rows loses its oldest, again and again: so each keeps an equal share, or all it has.
   *
   * @returns how many.
   */
  cut(most: number): number;
}

export function fairRows(first: Iterable<LoggedRequest> = []): FairRows {
  const rows = new Map<string, LoggedRequest>();
  /** Ids by organization, the oldest first. */
  const idsOf = new Map<string, Set<string>>();

  function add(row: LoggedRequest): void {
    if (rows.has(row.requestId)) return;
    rows.set(row.requestId, row);
    const ids = idsOf.get(row.organizationId);
    if (ids === undefined) idsOf.set(row.organizationId, new Set([row.requestId]));
    else ids.add(row.requestId);
  }

  function remove(id: string): boolean {
    const { organizationId = '' } = rows.get(id) ?? {};
    const ids = idsOf.get(organizationId);
    ids?.delete(id);
    if (ids?.size === 0) idsOf.delete(organizationId);
    return rows.delete(id);
  }

  function oldestOfLargest(): string | undefined {
    let largest = new Set<string>();
    for (const ids of idsOf.values()) if (ids.size > largest.size) largest = ids;
    return largest.values().next().value;
  }

  for (const row of first) add(row);
  return {
    rows,
    get size() {
      return rows.size;
    },
    add,
    take(most) {
      const taken: LoggedRequest[] = [];
      for (const row of rows.values()) {
        if (taken.length >= most) break;
        taken.push(row);
        remove(row.requestId);
      }
      return taken;
    },
    remove: (ids) => [...ids].filter(remove).length,
    cut(most) {
      const before = rows.size;
      while (rows.size > most) remove(oldestOfLargest() ?? '');
      return before - rows.size;
    },
  };
}
