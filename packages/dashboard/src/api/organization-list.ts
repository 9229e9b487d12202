import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Administration, OrganizationAccount } from '@searchgate/core/administration';
import { type Clock, dateOfDay, dayOf, firstDayOf, formatUsd, monthOfDay } from '@searchgate/core/ledger';
import type { Scope } from '../scope.js';
import type { OrganizationView, Page } from './contract.js';
import { inParts, isoTime, type PageQuery, within } from './exchange.js';
import { toWire } from './wire-names.js';

/** Most keys that are read to count the keys of organizations. */
const MAX_COUNTED_KEYS = 1_000;
/** Most parts of the list that a search reads for a page: then the page is short. */
const MAX_PARTS = 200;
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

  async function lastUsesOf(ids: readonly string[], clock: Clock): Promise<ReadonlyMap<string, string>> {
    const used = new Map<string, string>();
    const read = async (id: string) => {
      const newest = await requests?.find({ organizations: [id] }, { limit: 1 });
      for (const { atMs } of newest?.rows ?? []) used.set(id, isoTime(atMs));
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
    return accounts.map((account) => ({
      ...viewOf(account),
      spent_this_month: formatUsd(spent.get(account.id) ?? 0n),
      keys: keys === undefined ? null : (keys.get(account.id) ?? 0),
      last_used_at: used.get(account.id) ?? null,
    }));
  };
}

interface ListQuery extends PageQuery {
  /** A part of the id or of the name. */
  readonly search?: string | undefined;
}

/** Lists the organizations that a user may see. */
export function organizationLister(
  { organizations }: Pick<Administration, 'organizations'>,
  viewsOf: ReturnType<typeof organizationViewer>,
) {
  const accountsOf = async (ids: readonly string[]) =>
    (await inParts(ids, (id) => organizations.get(id))).filter((account) => account !== undefined);

  async function partOf(scope: Scope, cursor: string | undefined, limit: number) {
    if (scope.organizations === 'all') return organizations.list({ limit, cursor });
    const left = scope.organizations.filter((id) => cursor === undefined || id > cursor);
    const ids = left.slice(0, limit);
    return { items: await accountsOf(ids), nextCursor: left.length > limit ? (ids.at(-1) ?? null) : null };
  }

  return async (scope: Scope, query: ListQuery, clock: Clock): Promise<Page<OrganizationView>> => {
    const { search = '', cursor, limit } = query;
    const text = search.toLowerCase();
    const ids: string[] = [];
    let next: string | null | undefined = cursor;
    for (let parts = 0; next !== null && ids.length < limit && parts < MAX_PARTS; parts += 1) {
      if (parts > 0) await nextTurn();
      const { items, nextCursor } = await partOf(scope, next, limit - ids.length);
      const fits = items.filter(({ id, name }) => `${id}\n${name ?? ''}`.toLowerCase().includes(text));
      ids.push(...fits.map(({ id }) => id));
      next = nextCursor;
    }
    return { data: await viewsOf(await accountsOf(ids), clock), next_cursor: next ?? null };
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
