import {
  byPlace,
  cursorOf,
  type DurableLedgerEngine,
  fitsFilter,
  type LoggedRequest,
  placeOf,
  type RequestFilter,
  type RequestLog,
  type RequestPage,
  type RequestPageQuery,
  type RequestPlace,
  requestOf,
  type StoredRequest,
  statisticsOfMinutes,
  storedRequest,
} from '@searchgate/core/ledger';
import type { Scripts } from '../engine/scripts.js';
import {
  APPEND_REQUESTS,
  ERASE_REQUESTS,
  GET_REQUEST,
  LIST_ORGANIZATIONS_OF_REQUESTS,
  LIST_REQUESTS,
  PRUNE_REQUESTS,
  REPLACE_REQUESTS,
} from '../scripts/request-scripts.js';
import { redisTexts } from './redis-texts.js';
import { eraseSums, mergeSums, placesOf, readSums, sumsOf } from './request-sums.js';

/** How many calls one script looks at: about a millisecond in which Redis serves no one else. */
const AT_ONCE = 200;
/** Most calls that are read for a page: behind them the page ends, so that a rare filter holds up nobody. */
const MAX_READ = 5_000;

/** The newest calls. They are in the order of time, those of an organization too: what else a filter finds is told here. */
export function redisRequests(scripts: Scripts): DurableLedgerEngine['requests'] {
  const { run } = scripts;
  const find: RequestLog['find'] = (filter, page) => findPage({ run }, filter, page);
  return {
    texts: redisTexts(scripts),
    append: (rows) => append({ run }, rows),
    statistics: async (query) =>
      query.step === 'minute' ? statisticsOfMinutes(find, query) : readSums({ run }, query),
    find,
    get: async (id) => (await run(GET_REQUEST, [id])).map(rowOf)[0],
    async prune({ beforeMs, maxRows, sumsBeforeMs }) {
      const values = [`${Math.ceil(beforeMs)}`, `${maxRows}`, `${AT_ONCE}`, ...placesOf(sumsBeforeMs)];
      const removeSome = async () => Number((await run(PRUNE_REQUESTS, values))[0]);
      const removed = await removeSome();
      if (removed > 0) return removed;
      await mergeSums({ run });
      return removeSome();
    },
    organizations: (most) => run(LIST_ORGANIZATIONS_OF_REQUESTS, [`${most}`]),
    async erase(organizationId) {
      let erased = 0;
      for (let removed = -1; removed !== 0; erased += removed)
        removed = Number((await run(ERASE_REQUESTS, [organizationId, `${AT_ONCE}`]))[0]);
      await eraseSums({ run }, organizationId);
      return erased;
    },
    eraseBudget: (organizationId, budget) => eraseBudget({ run }, organizationId, budget),
  };
}

/** The sums are of the calls that are new: so those that are known are taken out, and it is tried again. */
async function append({ run }: Scripts, rows: readonly LoggedRequest[]): Promise<void> {
  // The first one of each id.
  const left = new Map(rows.toReversed().map((row) => [row.requestId, row]));
  while (left.size > 0) {
    const added = [...left.values()].toReversed();
    const known = await run(APPEND_REQUESTS, [...sumsOf(added), ...added.flatMap(valuesOf)]);
    if (known.length === 0) return;
    // The calls are kept: a failure comes again with the next batch, and with prune, which tells it.
    if (known[0] === '') return mergeSums({ run }).catch(() => undefined);
    for (const id of known) left.delete(id);
  }
}

/** Goes through the calls of an organization. Where another has changed one meanwhile, they are read again. */
async function eraseBudget({ run }: Scripts, organizationId: string, budget: string): Promise<number> {
  let erased = 0;
  let place: RequestPlace = { atMs: Number.MAX_SAFE_INTEGER, requestId: '' };
  for (;;) {
    const texts = await run(LIST_REQUESTS, [`${place.atMs}`, place.requestId, `${AT_ONCE}`, organizationId]);
    const named = texts.filter((text) => rowOf(text).budgets.includes(budget));
    const changes = named.flatMap((text) => {
      const row = rowOf(text);
      return [row.requestId, text, textOf({ ...row, budgets: row.budgets.filter((id) => id !== budget) })];
    });
    const replaced = Number((await run(REPLACE_REQUESTS, changes))[0]);
    erased += replaced;
    const last = texts.at(-1);
    if (replaced < named.length) continue;
    if (last === undefined || texts.length < AT_ONCE) return erased;
    place = rowOf(last);
  }
}

async function findPage(
  { run }: Scripts,
  filter: RequestFilter,
  { limit, cursor, attempts: withAttempts }: RequestPageQuery,
): Promise<RequestPage> {
  const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER } = filter;
  const end: RequestPlace = { atMs: Math.ceil(untilMs), requestId: '' };
  const after = cursor === undefined ? end : placeOf(cursor);
  let place = byPlace(end, after) > 0 ? end : after;
  const [organization, another] = filter.organizations ?? [];
  const owner = another === undefined ? (organization ?? '') : '';
  const found: RequestPage['rows'][number][] = [];
  for (let read = 0; read < MAX_READ; read += AT_ONCE) {
    const rows = (await run(LIST_REQUESTS, [`${place.atMs}`, place.requestId, `${AT_ONCE}`, owner])).map(rowOf);
    const from = place;
    for (const { attempts, ...row } of rows) {
      if (row.atMs < sinceMs) return { rows: found, nextCursor: null };
      if (byPlace(from, row) < 0 && fitsFilter(row, filter)) {
        if (found.length === limit) return { rows: found, nextCursor: cursorOf(found.at(-1) ?? place) };
        found.push(withAttempts === true ? { ...row, attempts } : row);
      }
      place = row;
    }
    if (rows.length < AT_ONCE) return { rows: found, nextCursor: null };
  }
  return { rows: found, nextCursor: cursorOf(place) };
}

function valuesOf(row: LoggedRequest): readonly string[] {
  const { requestId, atMs, answerId, organizationId } = row;
  return [requestId, `${atMs}`, organizationId, answerId ?? '', textOf(row)];
}

function textOf(row: LoggedRequest): string {
  return [row.answerId ?? '', row.organizationId, JSON.stringify(storedRequest(row))].join('\n');
}

/** Calls of version 4 have none of it, those of version 5 have budgets and vendor keys. */
const OLD = { budgets: [], byok: false, cause: null, attempted: [], attemptCount: 0, rescued: false };

function rowOf(text: string): LoggedRequest {
  const [, , json = ''] = text.split('\n', 3);
  return requestOf({ ...OLD, ...(JSON.parse(json) as Omit<StoredRequest, keyof typeof OLD>) });
}
