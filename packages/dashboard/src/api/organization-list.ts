import type { Administration, OrganizationAccount } from '@searchgate/core/administration';
import { type Clock, dateOfDay, dayOf, firstDayOf, formatUsd, monthOfDay } from '@searchgate/core/ledger';
import type { Scope } from '../scope.js';
import type { OrganizationPage, OrganizationView } from './contract.js';
import { isoTime, type PageQuery, within } from './exchange.js';
import { Problem } from './problem.js';
import { toWire } from './wire-names.js';

/** Most keys that are read to count the keys of organizations. */
const MAX_COUNTED_KEYS = 1_000;
/** Most organizations that a search reads, and how many at once. */
const MAX_SEARCHED = 10_000;
const PART = 1_000;
/** How many accounts are read at once. */
const AT_ONCE = 20;
/** Money is shown also while the log hangs. */
const LOG_TIMEOUT_MS = 1_000;

/** What the views of organizations show beside their accounts. */
type Beside = Pick<OrganizationView, 'spent_this_month' | 'keys' | 'last_used_at'>;

/** Reads what the views of organizations show beside their accounts. */
export function organizationViewer({ apiKeys, hasKeyRegistry, requests, statement }: Administration) {
  /** What each organization was charged this month. @param ids one statement for a single id, else one for all. */
  async function spentOf(ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string | null, bigint>> {
    const today = dayOf(nowMs);
    const days = { from: dateOfDay(firstDayOf(monthOfDay(today))), to: dateOfDay(today + 1) };
    const [organizationId] = ids.length === 1 ? ids : [];
    const rows = await statement({ by: 'organization', organizationId, ...days });
    return new Map(rows.map(({ group, charged }) => [group, charged]));
  }

  /** How many keys each organization has; `undefined` if there are too many to count. */
  async function keysOf(ids: readonly string[]): Promise<ReadonlyMap<string, number> | undefined> {
    if (!hasKeyRegistry) return undefined;
    const [organizationId] = ids.length === 1 ? ids : [];
    const { items, nextCursor } = await apiKeys.list({ organizationId, limit: MAX_COUNTED_KEYS });
    if (nextCursor !== null) return undefined;
    const counts = new Map<string, number>();
    for (const key of items) counts.set(key.organizationId, (counts.get(key.organizationId) ?? 0) + 1);
    return counts;
  }

  async function lastUsesOf(ids: readonly string[], clock: Clock): Promise<ReadonlyMap<string, number>> {
    const used = new Map<string, number>();
    const read = async (id: string) => {
      const newest = await requests?.find({ organizations: [id] }, { limit: 1 });
      for (const { atMs } of newest?.rows ?? []) used.set(id, atMs);
    };
    await within(
      inParts(ids, read).catch(() => undefined),
      LOG_TIMEOUT_MS,
      clock,
    );
    return used;
  }

  return async (accounts: readonly OrganizationAccount[], clock: Clock): Promise<OrganizationView[]> => {
    const ids = accounts.map(({ id }) => id);
    if (ids.length === 0) return [];
    const [spent, keys, used] = await Promise.all([spentOf(ids, clock.now()), keysOf(ids), lastUsesOf(ids, clock)]);
    return accounts.map((account) => {
      const usedMs = used.get(account.id);
      return {
        ...viewOf(account),
        spent_this_month: formatUsd(spent.get(account.id) ?? 0n),
        keys: keys === undefined ? null : (keys.get(account.id) ?? 0),
        last_used_at: usedMs === undefined ? null : isoTime(usedMs),
      };
    });
  };
}

async function inParts<T>(ids: readonly string[], read: (id: string) => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE)
    all.push(...(await Promise.all(ids.slice(from, from + AT_ONCE).map(read))));
  return all;
}

interface ListQuery extends PageQuery {
  readonly search?: string | undefined;
}

/** Of a page, or of a search. */
interface Found extends Pick<OrganizationPage, 'next_cursor' | 'is_cut'> {
  readonly ids: readonly string[];
}

/** Lists the organizations that a user may see: page by page, or those whose id or name has a text. */
export function organizationLister(
  { organizations }: Pick<Administration, 'organizations'>,
  viewsOf: ReturnType<typeof organizationViewer>,
) {
  const accountsOf = async (ids: readonly string[]) =>
    (await inParts(ids, (id) => organizations.get(id))).filter((account) => account !== undefined);

  async function pageOf(scope: Scope, { cursor, limit }: PageQuery): Promise<Found> {
    if (scope.organizations === 'all') {
      const { items, nextCursor } = await organizations.list({ limit, cursor });
      return { ids: items.map(({ id }) => id), next_cursor: nextCursor, is_cut: false };
    }
    const left = scope.organizations.filter((id) => cursor === undefined || id > cursor);
    const ids = left.slice(0, limit);
    return { ids, next_cursor: left.length > limit ? (ids.at(-1) ?? null) : null, is_cut: false };
  }

  /** A part of those to search. */
  async function partOf(scope: Scope, cursor: string | undefined) {
    if (scope.organizations === 'all') return organizations.list({ limit: PART, cursor });
    return { items: await accountsOf(scope.organizations), nextCursor: null };
  }

  async function searched(scope: Scope, { search = '', cursor = '0', limit }: ListQuery): Promise<Found> {
    if (!/^\d{1,5}$/.test(cursor)) throw new Problem(400, 'must be the next_cursor of the page before', 'cursor');
    const text = search.toLowerCase();
    const until = Number(cursor) + limit;
    const found: string[] = [];
    let next: string | null | undefined;
    for (let read = 0; next !== null && read < MAX_SEARCHED && found.length <= until; read += PART) {
      const { items, nextCursor } = await partOf(scope, next);
      const fits = items.filter(({ id, name }) => `${id}\n${name ?? ''}`.toLowerCase().includes(text));
      found.push(...fits.map(({ id }) => id));
      next = nextCursor;
    }
    const hasMore = found.length > until;
    return {
      ids: found.slice(until - limit, until),
      next_cursor: hasMore ? String(until) : null,
      is_cut: next !== null && !hasMore,
    };
  }

  return async (scope: Scope, query: ListQuery, clock: Clock): Promise<OrganizationPage> => {
    const { ids, ...page } = await (query.search === undefined ? pageOf(scope, query) : searched(scope, query));
    return { data: await viewsOf(await accountsOf(ids), clock), ...page };
  };
}

function viewOf(account: OrganizationAccount): Omit<OrganizationView, keyof Beside> {
  const { id, name, createdAtMs, suspendedAtMs, credits, usage, held } = account;
  const { rateLimit = null, maxConcurrent = null, operatorPays = false, domains = null } = account;
  return toWire({
    id,
    name,
    createdAt: createdAtMs === null ? null : isoTime(createdAtMs),
    suspendedAt: suspendedAtMs === null ? null : isoTime(suspendedAtMs),
    rateLimit,
    maxConcurrent,
    operatorPays,
    domains,
    credits: formatUsd(credits),
    usage: formatUsd(usage),
    held: formatUsd(held),
    balance: formatUsd(credits - usage),
  });
}
