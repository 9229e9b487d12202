import { fairRows } from './fair-rows.js';
import { byPlace, cursorOf, fitsFilter, placeOf, type RequestLog } from './request-log.js';

/** Keeps the newest calls of this process in memory, with an equal share for each organization. @param options `maxRows`: default 10,000. */
export function memoryRequestLog({ maxRows = 10_000 }: { readonly maxRows?: number | undefined } = {}): RequestLog {
  const kept = fairRows();
  const all = () => [...kept.rows.values()];
  const remove = (isRemoved: (row: ReturnType<typeof all>[number]) => boolean) =>
    kept.remove(
      all()
        .filter(isRemoved)
        .map(({ requestId }) => requestId),
    );

  return {
    async append(added) {
      added.forEach(kept.add);
      kept.cut(maxRows);
      return Promise.resolve();
    },
    async find(filter, { limit, cursor }) {
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const fitting = all()
        .filter((row) => fitsFilter(row, filter))
        .sort(byPlace);
      const behind = after === undefined ? fitting : fitting.filter((row) => byPlace(after, row) < 0);
      const page = behind.slice(0, limit);
      const last = page.at(-1);
      const nextCursor = last === undefined || behind.length <= limit ? null : cursorOf(last);
      return Promise.resolve({ rows: page.map(({ attempts: _attempts, ...row }) => row), nextCursor });
    },
    get: async (id) => Promise.resolve(kept.rows.get(id) ?? all().findLast(({ answerId }) => answerId === id)),
    async organizations(most) {
      const counts = new Map<string, number>();
      for (const { organizationId } of kept.rows.values())
        counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
      const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, most);
      return Promise.resolve(largest.map(([id]) => id));
    },
    prune: async ({ beforeMs, maxRows: most }) =>
      Promise.resolve(remove(({ atMs }) => atMs < beforeMs) || kept.cut(most)),
    erase: async (organizationId) => Promise.resolve(remove((row) => row.organizationId === organizationId)),
  };
}
