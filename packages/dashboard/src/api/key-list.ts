import type { Administration, ApiKeyView } from '@searchgate/core/administration';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { KeyPage, KeyRow } from './contract.js';
import { inParts, type PageQuery, pageFields } from './exchange.js';
import { Problem } from './problem.js';

/** Most keys that a search or a sort reads, and most rows of a page. */
const MAX_KEYS = 1_000;
/** Most calls of the request log that are read to tell when keys were last used, with a share for each organization. */
const MAX_CALLS = 5_000;
/** A key that expires within this time is listed as expiring. */
const EXPIRING_MS = 7 * 86_400_000;

export const keyFilters = {
  organization: z.string().optional(),
  search: z.string().max(200).optional(),
  state: z.enum(['active', 'expiring', 'expired', 'revoked']).optional(),
  sort: z.enum(['label', 'used', 'limit', 'last_used']).optional(),
};
export const keyQuery = z.strictObject({ ...keyFilters, ...pageFields });
type KeyQuery = z.output<typeof keyQuery>;

interface KeyListDeps extends Pick<Administration, 'apiKeys' | 'requests'> {
  /** Reads the sums of a key. */
  readonly rowOf: (key: ApiKeyView, lastUsedMs: number | null) => Promise<KeyRow>;
}

/** To list: `undefined` for all. */
type Organizations = readonly (string | undefined)[];

interface Part {
  readonly keys: readonly ApiKeyView[];
  readonly next: string | null;
}

/** Lists keys: in the order of the registry, page by page; or the first 1,000 of them, searched and sorted. */
export function keyLister({ apiKeys, requests, rowOf }: KeyListDeps) {
  /** A page of one list, or of several in turn: the cursor has the organization reached and its own cursor. */
  async function pageOf(organizations: Organizations, { cursor = '', limit }: PageQuery): Promise<Part> {
    if (organizations.length <= 1) {
      const page = await apiKeys.list({ organizationId: organizations[0], limit, cursor: cursor || undefined });
      return { keys: page.items, next: page.nextCursor };
    }
    const [from = '', own] = cursor.split(' ', 2);
    const left = organizations.filter((id = '') => id >= from);
    for (const [index, id = ''] of left.entries()) {
      const page = await apiKeys.list({
        organizationId: id,
        limit,
        cursor: id === from ? own || undefined : undefined,
      });
      const reached = page.nextCursor === null ? left[index + 1] : id;
      if (page.items.length > 0)
        return { keys: page.items, next: reached === undefined ? null : `${reached} ${page.nextCursor ?? ''}` };
    }
    return { keys: [], next: null };
  }

  async function firstOf(organizations: Organizations) {
    const keys: ApiKeyView[] = [];
    let next: string | null = '';
    while (next !== null && keys.length < MAX_KEYS) {
      const page = await pageOf(organizations, { cursor: next, limit: MAX_KEYS });
      keys.push(...page.keys);
      next = page.next;
    }
    return { keys: keys.slice(0, MAX_KEYS), isCut: next !== null || keys.length > MAX_KEYS };
  }

  const rowsOf = (keys: readonly ApiKeyView[], used: ReadonlyMap<string, number>) =>
    inParts(keys, (key) => rowOf(key, used.get(key.id) ?? null));

  return async (scope: Scope, query: KeyQuery, nowMs: number): Promise<KeyPage> => {
    const organizations = organizationsOf(scope, query.organization);
    if (organizations.length === 0) return { data: [], next_cursor: null, is_cut: false };
    const { search, state, sort, limit, cursor } = query;
    if (search === undefined && state === undefined && sort === undefined) {
      const { keys, next } = await pageOf(organizations, query);
      return { data: await rowsOf(keys, await lastUses(requests, keys)), next_cursor: next, is_cut: false };
    }
    if (!/^\d{0,4}$/.test(cursor ?? '')) throw new Problem(400, 'must be the next_cursor of the page before', 'cursor');
    const { keys, isCut } = await firstOf(organizations);
    const fitting = keys.filter((key) => fits(key, query, nowMs));
    const used = await lastUses(requests, fitting);
    const from = Number(cursor ?? 0);
    // Only a sort by usage needs the sums of keys on other pages.
    const isSummedFirst = sort === 'used';
    const sorted = isSummedFirst
      ? (await rowsOf(fitting, used)).sort((a, b) => Number(b.usage) - Number(a.usage))
      : fitting.sort(orderOf(sort, used));
    const part = sorted.slice(from, from + limit);
    const data = isSummedFirst ? (part as KeyRow[]) : await rowsOf(part as ApiKeyView[], used);
    return { data, next_cursor: sorted.length > from + limit ? String(from + limit) : null, is_cut: isCut };
  };
}

function organizationsOf(scope: Scope, organization: string | undefined): Organizations {
  if (organization !== undefined) scope.require(organization);
  if (organization !== undefined) return [organization];
  return scope.organizations === 'all' ? [undefined] : scope.organizations;
}

/** When keys were last used, as far as the newest calls of their organizations tell. */
async function lastUses(
  requests: Administration['requests'],
  keys: readonly ApiKeyView[],
): Promise<ReadonlyMap<string, number>> {
  const used = new Map<string, number>();
  const organizations = [...new Set(keys.map(({ organizationId }) => organizationId))];
  const { rows = [] } = (await requests?.newest({ organizations }, MAX_CALLS)) ?? {};
  for (const { keyId, atMs } of rows) if (!used.has(keyId)) used.set(keyId, atMs);
  return used;
}

function fits(key: ApiKeyView, { search = '', state }: KeyQuery, nowMs: number): boolean {
  const text = search.toLowerCase();
  const isFound = [key.label, key.id, key.organizationId].some((value) => value.toLowerCase().includes(text));
  if (!isFound || state === undefined) return isFound;
  const { revokedAtMs, expiresAtMs } = key;
  if (revokedAtMs !== null) return state === 'revoked';
  const leftMs = (expiresAtMs ?? Number.POSITIVE_INFINITY) - nowMs;
  if (leftMs <= 0) return state === 'expired';
  return state === 'active' || (state === 'expiring' && leftMs <= EXPIRING_MS);
}

type Order = (a: ApiKeyView, b: ApiKeyView) => number;

/** By label, else the largest or the latest first; keys without a limit or a use come last. */
function orderOf(sort: KeyQuery['sort'], used: ReadonlyMap<string, number>): Order {
  const byLabel: Order = (a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0);
  if (sort === 'limit') return (a, b) => Number((b.limit ?? -1n) - (a.limit ?? -1n)) || byLabel(a, b);
  if (sort === 'last_used') return (a, b) => (used.get(b.id) ?? 0) - (used.get(a.id) ?? 0) || byLabel(a, b);
  return byLabel;
}
