import {
  byPlace,
  cursorOf,
  type DurableLedgerEngine,
  placeOf,
  type RequestFilter,
  type RequestPlace,
  requestOf,
  rowOfStored,
  type StoredRequest,
  statusRange,
  storedRequest,
} from '@searchgate/core/ledger';
import { columnsOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';
import { eraseSlices } from '../engine/erase-slices.js';

/** Most rows that are removed in one transaction. */
const MAX_REMOVED = 1_000;
/** Before all rows. */
const START = { atMs: Number.MAX_SAFE_INTEGER, requestId: '' };

type StoredRow = Omit<StoredRequest, 'attempts'>;

/** The log of calls in the ledger's database. */
export function postgresRequests({ read, write }: Database): DurableLedgerEngine['requests'] {
  return {
    async append(rows) {
      await write(
        'append_requests',
        rows.map((row) => columnsOf(storedRequest(row))),
      );
    },
    async find(filter, { limit, cursor }) {
      const { sinceMs = 0 } = filter;
      const { atMs, requestId } = startOf(filter, cursor);
      const values = [filterJson(filter), Math.ceil(sinceMs), atMs, requestId, limit + 1];
      const found = await read<{ rows: StoredRow[]; last: RequestPlace | null }>('find_requests', () => values);
      const stored = found?.rows ?? [];
      const rows = stored.slice(0, limit).map(rowOfStored);
      const last = stored.length > limit ? rows.at(-1) : found?.last;
      return { rows, nextCursor: last == null ? null : cursorOf(last) };
    },
    async get(id) {
      const found = await read<{ row: StoredRow; attempts: StoredRequest['attempts'] }>('get_request', () => [id]);
      return found && requestOf({ ...found.row, attempts: found.attempts });
    },
    organizations: async (most) => (await read<string[]>('organizations_of_requests', () => [most])) ?? [],
    async prune({ beforeMs, maxRows }) {
      return (
        (await write<number>('prune_requests', { beforeMs: Math.ceil(beforeMs), maxRows, most: MAX_REMOVED })) ?? 0
      );
    },
    async erase(organizationId) {
      let erased = 0;
      for (let removed = -1; removed !== 0; erased += removed)
        removed = (await write<number>('erase_requests', { organizationId, most: MAX_REMOVED })) ?? 0;
      return erased;
    },
    eraseBudget(organizationId, budget) {
      const first = { organizationId, budget, afterMs: -1, afterId: '', most: MAX_REMOVED };
      return eraseSlices(write, 'erase_budget_of_requests', first);
    },
  };
}

/** Where a page begins: behind the cursor, or before a time. */
function startOf({ untilMs = START.atMs }: RequestFilter, cursor: string | undefined): RequestPlace {
  const end = { atMs: Math.ceil(untilMs), requestId: '' };
  const after = cursor === undefined ? START : placeOf(cursor);
  return byPlace(end, after) > 0 ? end : after;
}

function filterJson({ status, sinceMs: _since, untilMs: _until, ...filter }: RequestFilter): string {
  const { from, to } = status === undefined ? {} : statusRange(status);
  return JSON.stringify({ ...filter, fromStatus: from, toStatus: to });
}
