import {
  byPlace,
  cursorOf,
  type DurableLedgerEngine,
  type LoggedRequest,
  packedOf,
  placeOf,
  type RequestFilter,
  type RequestLog,
  type RequestPlace,
  requestOf,
  rowOfStored,
  type StoredRequest,
  statisticsOfMinutes,
  statusRange,
  storedRequest,
  textOfSums,
} from '@searchgate/core/ledger';
import { columnsOf } from '../engine/column-of.js';
import type { Database } from '../engine/database.js';
import { eraseSlices } from '../engine/erase-slices.js';
import { mergeSums, readSums } from './postgres-sums.js';
import { postgresTexts } from './postgres-texts.js';

/** Most rows that are removed in one transaction. */
const MAX_REMOVED = 1_000;
/** Before all rows. */
const START = { atMs: Number.MAX_SAFE_INTEGER, requestId: '' };

type StoredRow = Omit<StoredRequest, 'attempts'>;

/** The log of calls in the ledger's database. */
export function postgresRequests(database: Database): DurableLedgerEngine['requests'] {
  const { read, write } = database;
  async function append(rows: readonly LoggedRequest[]): Promise<void> {
    if (rows.length === 0) return;
    // Of those with the same id the first one stays.
    const added = [...new Map(rows.toReversed().map((row) => [row.requestId, row])).values()];
    const answer = await write<string[] | number>('append_requests', {
      rows: added.map((row) => columnsOf(storedRequest(row))),
      pending: textOfSums(packedOf(added, 'hour')),
    });
    // The calls are kept: a failure comes again with a later batch, and with prune, which tells it.
    if (typeof answer === 'number') await mergeSums(database).catch(() => undefined);
    if (typeof answer !== 'object') return;
    const ids = new Set(answer);
    await append(added.filter(({ requestId }) => !ids.has(requestId)));
  }

  /** In parts, so that none takes long. */
  async function eraseOf(organizationId: string, operation: 'erase_requests' | 'erase_request_sums'): Promise<number> {
    let erased = 0;
    for (let removed = -1; removed !== 0; erased += removed)
      removed = (await write<number>(operation, { organizationId, most: MAX_REMOVED })) ?? 0;
    return erased;
  }

  const find: RequestLog['find'] = async (filter, { limit, cursor, attempts }) => {
    const { sinceMs = 0 } = filter;
    const { atMs, requestId } = startOf(filter, cursor);
    const values = [filterJson(filter, attempts), Math.ceil(sinceMs), atMs, requestId, limit + 1];
    const found = await read<{ rows: StoredRequest[]; last: RequestPlace | null }>('find_requests', () => values);
    const stored = found?.rows ?? [];
    const rows = stored.slice(0, limit).map(attempts === true ? requestOf : rowOfStored);
    const last = stored.length > limit ? rows.at(-1) : found?.last;
    return { rows, nextCursor: last == null ? null : cursorOf(last) };
  };

  return {
    texts: postgresTexts(database),
    append,
    find,
    async get(id) {
      const found = await read<{ row: StoredRow; attempts: StoredRequest['attempts'] }>('get_request', () => [id]);
      return found && requestOf({ ...found.row, attempts: found.attempts });
    },
    organizations: async (most) => (await read<string[]>('organizations_of_requests', () => [most])) ?? [],
    async statistics(query) {
      if (query.step === 'minute') return statisticsOfMinutes(find, query);
      const { sinceMs, untilMs, organizationId } = query;
      const { organizations = organizationId === undefined ? undefined : [organizationId] } = query;
      const values = [JSON.stringify({ ...query, organizations }), Math.ceil(sinceMs), Math.ceil(untilMs)];
      return readSums(database, { ...query, organizations }, values);
    },
    async prune({ beforeMs, maxRows, sumsBeforeMs: { hour, day } }) {
      await mergeSums(database);
      const most = MAX_REMOVED;
      const calls = await write<number>('prune_requests', { beforeMs: Math.ceil(beforeMs), maxRows, most });
      const sums = await write<number>('prune_request_sums', { hour: Math.ceil(hour), day: Math.ceil(day), most });
      return (calls ?? 0) + (sums ?? 0);
    },
    async erase(organizationId) {
      await mergeSums(database);
      await eraseOf(organizationId, 'erase_request_sums');
      return eraseOf(organizationId, 'erase_requests');
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

function filterJson(
  { status, minCost, sinceMs: _since, untilMs: _until, ...filter }: RequestFilter,
  attempts: boolean | undefined,
): string {
  const { from, to } = status === undefined ? {} : statusRange(status);
  return JSON.stringify({ ...filter, attempts, minCost: minCost?.toString(), fromStatus: from, toStatus: to });
}
