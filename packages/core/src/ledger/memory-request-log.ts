import { createOwnedEntries } from '../base/owned-entries.js';
import { byPlace, cursorOf, fitsFilter, type LoggedRequest, placeOf, type RequestLog } from './request-log.js';

/** Keeps the newest calls of this process in memory, with an equal share for each organization. @param options `maxRows`: default 10,000. */
export function memoryRequestLog({ maxRows = 10_000 }: { readonly maxRows?: number | undefined } = {}): RequestLog {
  const kept = createOwnedEntries<LoggedRequest>({ maxEntries: maxRows });
  const all = () => Array.from(kept, ([, row]) => row);

  return {
    async append(added) {
      for (const row of added)
        if (kept.peek(row.requestId) === undefined) kept.set(row.requestId, row, { owner: row.organizationId });
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
    get: async (id) => Promise.resolve(kept.peek(id) ?? all().findLast(({ answerId }) => answerId === id)),
    async organizations(most) {
      const counts = new Map<string, number>();
      for (const { organizationId } of all()) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
      const largest = [...counts].sort(([, a], [, b]) => b - a).slice(0, most);
      return Promise.resolve(largest.map(([id]) => id));
    },
    async prune({ beforeMs, maxRows: most }) {
      const old = all().filter(({ atMs }) => atMs < beforeMs);
      for (const { requestId } of old) kept.delete(requestId);
      return Promise.resolve(old.length || kept.cut(most));
    },
    erase: async (organizationId) => Promise.resolve(kept.deleteOf(organizationId).length),
    async eraseBudget(organizationId, budget) {
      const named = all().filter((row) => fitsFilter(row, { organizations: [organizationId], budget }));
      for (const row of named) {
        const budgets = row.budgets.filter((id) => id !== budget);
        kept.set(row.requestId, { ...row, budgets }, { owner: organizationId });
      }
      return Promise.resolve(named.length);
    },
  };
}
