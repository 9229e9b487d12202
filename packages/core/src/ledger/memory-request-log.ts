import { byPlace, cursorOf, fitsFilter, type LoggedRequest, placeOf, type RequestLog } from './request-log.js';

/** Keeps the newest calls of this process in memory. @param options `maxRows`: default 10,000. */
export function memoryRequestLog({ maxRows = 10_000 }: { readonly maxRows?: number | undefined } = {}): RequestLog {
  /** By request id, the oldest first. */
  const rows = new Map<string, LoggedRequest>();

  function remove(wanted: readonly string[]): number {
    for (const requestId of wanted) rows.delete(requestId);
    return wanted.length;
  }

  return {
    async append(added) {
      for (const row of added) {
        rows.delete(row.requestId);
        rows.set(row.requestId, row);
      }
      remove([...rows.keys()].slice(0, Math.max(0, rows.size - maxRows)));
      return Promise.resolve();
    },
    async find(filter, { limit, cursor }) {
      const after = cursor === undefined ? undefined : placeOf(cursor);
      const fitting = [...rows.values()].filter((row) => fitsFilter(row, filter)).sort(byPlace);
      const behind = after === undefined ? fitting : fitting.filter((row) => byPlace(after, row) < 0);
      const page = behind.slice(0, limit);
      const last = page.at(-1);
      const nextCursor = last === undefined || behind.length <= limit ? null : cursorOf(last);
      return Promise.resolve({ rows: page.map(({ attempts: _attempts, ...row }) => row), nextCursor });
    },
    get: async (id) => Promise.resolve(rows.get(id) ?? [...rows.values()].findLast(({ answerId }) => answerId === id)),
    async prune({ beforeMs, maxRows: most }) {
      const newest = [...rows.values()].sort(byPlace);
      const old = newest.filter(({ atMs }, place) => atMs < beforeMs || place >= most);
      return Promise.resolve(remove(old.map(({ requestId }) => requestId)));
    },
    async erase(organizationId) {
      const own = [...rows.values()].filter((row) => row.organizationId === organizationId);
      return Promise.resolve(remove(own.map(({ requestId }) => requestId)));
    },
  };
}
