import type { Administration, OrganizationAccount } from '@searchgate/core/administration';
import { dateOfDay, dayOf, firstDayOf, formatUsd, monthOfDay } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { Erased, OrganizationView, Page } from './contract.js';
import {
  amount,
  type Exchange,
  type Handler,
  isoTime,
  json,
  nothing,
  type PageQuery,
  pageFields,
  type Routes,
  readChange,
  readQuery,
  signedAmount,
} from './exchange.js';
import { notFound, Problem } from './problem.js';
import { domainsField, fromWire, limitFields, toWire } from './wire-names.js';

/** Most keys that are read to count the keys of organizations. */
const MAX_COUNTED_KEYS = 1_000;

export const pageQuery = z.strictObject(pageFields);
const NOT_OF_SOME = 'Needs the right to see all organizations: operators of some set the domains of keys alone.';
const rule = domainsField.meta({ description: NOT_OF_SOME });
const settings = { name: z.string().nullish(), operator_pays: z.boolean().optional(), ...limitFields, domains: rule };
export const newOrganization = z.strictObject({ id: z.string(), ...settings });
export const newGrant = z.strictObject({ amount, note: z.string().optional(), grant_id: z.string() });
export const newAdjustment = z.strictObject({
  amount: signedAmount,
  note: z.string(),
  key_id: z.string().optional(),
  budgets: z.array(z.string()).optional(),
  adjustment_id: z.string(),
});
export const organizationChange = z.strictObject(settings);

/** The domains of an organization bind all its keys: its own operators may only add to them, by those of keys. @throws Problem 403. */
async function readFields<T extends object>(exchange: Exchange, schema: z.ZodType<T>): Promise<T> {
  const fields = await readChange(exchange, schema);
  if ('domains' in fields && exchange.scope.organizations !== 'all')
    throw new Problem(403, 'You may set the domains of keys, not those of an organization.', 'domains');
  return fields;
}

/** Reads what the views of organizations show beside their accounts. */
function organizationViewer(administration: Administration) {
  const { apiKeys, hasKeyRegistry } = administration;

  /** What each organization was charged this month. @param ids one statement for a single id, else one for all. */
  async function spentOf(ids: readonly string[], nowMs: number): Promise<ReadonlyMap<string | null, bigint>> {
    const today = dayOf(nowMs);
    const days = { from: dateOfDay(firstDayOf(monthOfDay(today))), to: dateOfDay(today + 1) };
    const [organizationId] = ids.length === 1 ? ids : [];
    const rows = await administration.statement({ by: 'organization', organizationId, ...days });
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

  return async (accounts: readonly OrganizationAccount[], nowMs: number): Promise<OrganizationView[]> => {
    const ids = accounts.map(({ id }) => id);
    if (ids.length === 0) return [];
    const [spent, keys] = await Promise.all([spentOf(ids, nowMs), keysOf(ids)]);
    return accounts.map((account) => ({
      ...viewOf(account),
      spent_this_month: formatUsd(spent.get(account.id) ?? 0n),
      keys: keys === undefined ? null : (keys.get(account.id) ?? 0),
    }));
  };
}

type ViewsOf = ReturnType<typeof organizationViewer>;

/** Lists the organizations that a user may see. */
function organizationLister(organizations: Administration['organizations'], viewsOf: ViewsOf) {
  return async (scope: Scope, page: PageQuery, nowMs: number): Promise<Page<OrganizationView>> => {
    const { ids, next } = await idsOf(scope, page);
    const found = await Promise.all(ids.map((id) => organizations.get(id)));
    const accounts = found.filter((account) => account !== undefined);
    return { data: await viewsOf(accounts, nowMs), next_cursor: next };
  };

  async function idsOf(scope: Scope, { cursor, limit }: PageQuery): Promise<{ ids: string[]; next: string | null }> {
    if (scope.organizations === 'all') {
      const { items, nextCursor } = await organizations.list({ limit, cursor });
      return { ids: items.map(({ id }) => id), next: nextCursor };
    }
    const left = scope.organizations.filter((id) => cursor === undefined || id > cursor);
    const ids = left.slice(0, limit);
    return { ids, next: left.length > limit ? (ids.at(-1) ?? null) : null };
  }
}

/** Also of an organization that is not known, or no longer. Those whose changes are recorded may not remove the record. */
function eraser(administration: Administration): Handler {
  return async (exchange) => {
    const { id, scope } = exchange;
    scope.require(id);
    await readChange(exchange, nothing);
    const { replies, requests, tenantKeys, changes } = administration.as(scope.actor);
    const erasedFrom = async (kept: typeof replies) => (await kept?.erase(id)) ?? 0;
    const erased: Erased = {
      replies: await erasedFrom(replies),
      requests: await erasedFrom(requests),
      tenant_keys: await erasedFrom(tenantKeys),
      changes: scope.organizations === 'all' ? await erasedFrom(changes) : null,
    };
    return json(erased);
  };
}

/** Organizations: the list, their balances, and operators' changes. */
export function organizationRoutes(administration: Administration): Routes {
  const { organizations, hasKeyRegistry } = administration;
  const inNameOf = ({ scope }: Exchange) => administration.as(scope.actor);
  const viewsOf = organizationViewer(administration);

  async function view({ scope, clock }: Exchange, id: string) {
    scope.require(id);
    const account = await organizations.get(id);
    if (account === undefined) throw notFound();
    const [one] = await viewsOf([account], clock.now());
    return json(one ?? {});
  }

  /** A change of a known organization. Returns the changed organization. */
  function change<T extends object>(
    schema: z.ZodType<T>,
    make: (named: Administration, id: string, fields: T) => Promise<unknown>,
  ): Handler {
    return async (exchange) => {
      const { id } = exchange;
      exchange.scope.require(id);
      const fields = await readFields(exchange, schema);
      if ((await organizations.get(id)) === undefined) throw notFound();
      await make(inNameOf(exchange), id, fields);
      return view(exchange, id);
    };
  }

  const list = organizationLister(organizations, viewsOf);
  const read = async (exchange: Exchange) =>
    json(await list(exchange.scope, readQuery(exchange, pageQuery), exchange.clock.now()));
  const ofEveryHost: Routes = {
    'api/v1/organizations': { GET: read },
    'api/v1/organizations/*': { GET: (exchange) => view(exchange, exchange.id) },
    'api/v1/organizations/*/grant': {
      POST: change(newGrant, (named, organizationId, fields) => named.grant({ organizationId, ...fromWire(fields) })),
    },
    'api/v1/organizations/*/adjust': {
      POST: change(newAdjustment, (named, organizationId, fields) =>
        named.adjust({ organizationId, ...fromWire(fields) }),
      ),
    },
    'api/v1/organizations/*/erase': { POST: eraser(administration) },
  };
  if (!hasKeyRegistry) return ofEveryHost;
  return {
    ...ofEveryHost,
    'api/v1/organizations': {
      GET: read,
      async POST(exchange) {
        const fields = await readFields(exchange, newOrganization);
        exchange.scope.require(fields.id);
        await inNameOf(exchange).organizations.create(fromWire(fields));
        return view(exchange, fields.id);
      },
    },
    'api/v1/organizations/*/update': {
      POST: change(organizationChange, (named, id, fields) => named.organizations.update(id, fromWire(fields))),
    },
    'api/v1/organizations/*/suspend': { POST: change(nothing, (named, id) => named.organizations.suspend(id)) },
    'api/v1/organizations/*/resume': { POST: change(nothing, (named, id) => named.organizations.resume(id)) },
  };
}

function viewOf(account: OrganizationAccount): Omit<OrganizationView, 'spent_this_month' | 'keys'> {
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
