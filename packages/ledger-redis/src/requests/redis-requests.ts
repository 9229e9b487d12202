import {
  byPlace,
  cursorOf,
  type DurableLedgerEngine,
  fitsFilter,
  type LoggedRequest,
  placeOf,
  type RequestFilter,
  type RequestPage,
  type RequestPageQuery,
  type RequestPlace,
  type RequestRow,
  requestOf,
  type StoredRequest,
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

/** How many calls one script looks at: about a millisecond in which Redis serves no one else. */
const AT_ONCE = 200;
/** Most calls that are read for a page: behind them the page ends, so that a rare filter holds up nobody. */
const MAX_READ = 5_000;

/** The newest calls. They are in the order of time, those of an organization too: what else a filter finds is told here. */
export function redisRequests({ run }: Scripts): DurableLedgerEngine['requests'] {
  return {
    async append(rows) {
      if (rows.length > 0) await run(APPEND_REQUESTS, rows.flatMap(valuesOf));
    },
    find: (filter, page) => findPage({ run }, filter, page),
    get: async (id) => (await run(GET_REQUEST, [id])).map(rowOf)[0],
    prune: async ({ beforeMs, maxRows }) =>
      Number((await run(PRUNE_REQUESTS, [`${Math.ceil(beforeMs)}`, `${maxRows}`, `${AT_ONCE}`]))[0]),
    organizations: (most) => run(LIST_ORGANIZATIONS_OF_REQUESTS, [`${most}`]),
    async erase(organizationId) {
      let erased = 0;
      for (let removed = -1; removed !== 0; erased += removed)
        removed = Number((await run(ERASE_REQUESTS, [organizationId, `${AT_ONCE}`]))[0]);
      return erased;
    },
    eraseBudget: (organizationId, budget) => eraseBudget({ run }, organizationId, budget),
  };
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
  { limit, cursor }: RequestPageQuery,
): Promise<RequestPage> {
  const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER } = filter;
  const end: RequestPlace = { atMs: Math.ceil(untilMs), requestId: '' };
  const after = cursor === undefined ? end : placeOf(cursor);
  let place = byPlace(end, after) > 0 ? end : after;
  const [organization, another] = filter.organizations ?? [];
  const owner = another === undefined ? (organization ?? '') : '';
  const found: RequestRow[] = [];
  for (let read = 0; read < MAX_READ; read += AT_ONCE) {
    const rows = (await run(LIST_REQUESTS, [`${place.atMs}`, place.requestId, `${AT_ONCE}`, owner])).map(rowOf);
    const from = place;
    for (const { attempts: _attempts, ...row } of rows) {
      if (row.atMs < sinceMs) return { rows: found, nextCursor: null };
      if (byPlace(from, row) < 0 && fitsFilter(row, filter)) {
        if (found.length === limit) return { rows: found, nextCursor: cursorOf(found.at(-1) ?? place) };
        found.push(row);
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

function rowOf(text: string): LoggedRequest {
  const [, , json = ''] = text.split('\n', 3);
  // Calls of version 4 have neither.
  return requestOf({ budgets: [], byok: false, ...(JSON.parse(json) as Omit<StoredRequest, 'budgets' | 'byok'>) });
}
