import type { Administration, OrganizationAccount } from '@searchgate/core/administration';
import { formatUsd } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { OrganizationView, Page } from './contract.js';
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
} from './exchange.js';
import { notFound } from './problem.js';
import { fromWire, limitFields, toWire } from './wire-names.js';

const pageQuery = z.strictObject(pageFields);
const newOrganization = z.strictObject({ id: z.string(), name: z.string().nullish() });
const newGrant = z.strictObject({ amount, note: z.string().optional(), grant_id: z.string() });
const newLimits = z.strictObject(limitFields).required();

/** Organizations: the list, their balances, and operators' changes. */
export function organizationRoutes({ organizations, grant, hasKeyRegistry }: Administration): Routes {
  async function view({ scope }: Exchange, id: string) {
    scope.require(id);
    const account = await organizations.get(id);
    if (account === undefined) throw notFound();
    return json(viewOf(account));
  }

  /** A change of a known organization. Returns the changed organization. */
  function change<T>(schema: z.ZodType<T>, make: (id: string, fields: T) => Promise<unknown>): Handler {
    return async (exchange) => {
      const { id } = exchange;
      exchange.scope.require(id);
      const fields = await readChange(exchange, schema);
      if ((await organizations.get(id)) === undefined) throw notFound();
      await make(id, fields);
      return view(exchange, id);
    };
  }

  async function list(scope: Scope, page: PageQuery): Promise<Page<OrganizationView>> {
    const { ids, next } = await idsOf(scope, page);
    const found = await Promise.all(ids.map((id) => organizations.get(id)));
    return { data: found.filter((account) => account !== undefined).map(viewOf), next_cursor: next };
  }

  async function idsOf(scope: Scope, { cursor, limit }: PageQuery): Promise<{ ids: string[]; next: string | null }> {
    if (scope.organizations === 'all') {
      const { items, nextCursor } = await organizations.list({ limit, cursor });
      return { ids: items.map(({ id }) => id), next: nextCursor };
    }
    const left = scope.organizations.filter((id) => cursor === undefined || id > cursor);
    const ids = left.slice(0, limit);
    return { ids, next: left.length > limit ? (ids.at(-1) ?? null) : null };
  }

  const read = async (exchange: Exchange) => json(await list(exchange.scope, readQuery(exchange, pageQuery)));
  const ofEveryHost: Routes = {
    'api/v1/organizations': { GET: read },
    'api/v1/organizations/*': { GET: (exchange) => view(exchange, exchange.id) },
    'api/v1/organizations/*/grant': {
      POST: change(newGrant, (organizationId, fields) => grant({ organizationId, ...fromWire(fields) })),
    },
  };
  if (!hasKeyRegistry) return ofEveryHost;
  return {
    ...ofEveryHost,
    'api/v1/organizations': {
      GET: read,
      async POST(exchange) {
        const fields = await readChange(exchange, newOrganization);
        exchange.scope.require(fields.id);
        await organizations.create(fields);
        return view(exchange, fields.id);
      },
    },
    'api/v1/organizations/*/limits': {
      POST: change(newLimits, (id, limits) => organizations.update(id, fromWire(limits))),
    },
    'api/v1/organizations/*/suspend': { POST: change(nothing, (id) => organizations.suspend(id)) },
    'api/v1/organizations/*/resume': { POST: change(nothing, (id) => organizations.resume(id)) },
  };
}

function viewOf(account: OrganizationAccount): OrganizationView {
  const {
    id,
    name,
    createdAtMs,
    suspendedAtMs,
    rateLimit = null,
    maxConcurrent = null,
    credits,
    usage,
    held,
  } = account;
  return toWire({
    id,
    name,
    createdAt: createdAtMs === null ? null : isoTime(createdAtMs),
    suspendedAt: suspendedAtMs === null ? null : isoTime(suspendedAtMs),
    rateLimit,
    maxConcurrent,
    credits: formatUsd(credits),
    usage: formatUsd(usage),
    held: formatUsd(held),
    balance: formatUsd(credits - usage),
  });
}
