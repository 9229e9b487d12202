import type { Administration, OrganizationAccount } from '@searchgate/core/administration';
import { callerLimitSchemas, formatUsd } from '@searchgate/core/ledger';
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
  type Routes,
  readChange,
  readQuery,
} from './exchange.js';
import { notFound } from './problem.js';

const PAGE_SIZE = 100;

const pageQuery = z.strictObject({ after: z.string().optional() });
const newOrganization = z.strictObject({ id: z.string(), name: z.string().nullish() });
const newGrant = z.strictObject({ amount, note: z.string().optional(), grantId: z.string() });
const newLimits = z.strictObject(callerLimitSchemas).required();

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

  async function list(scope: Scope, after: string | undefined): Promise<Page<OrganizationView>> {
    const { ids, next } = await idsOf(scope, after);
    const found = await Promise.all(ids.map((id) => organizations.get(id)));
    return { rows: found.filter((account) => account !== undefined).map(viewOf), next };
  }

  async function idsOf(scope: Scope, after: string | undefined): Promise<{ ids: string[]; next: string | null }> {
    if (scope.organizations === 'all') {
      const { items, nextCursor } = await organizations.list({ limit: PAGE_SIZE, cursor: after });
      return { ids: items.map(({ id }) => id), next: nextCursor };
    }
    const left = scope.organizations.filter((id) => after === undefined || id > after);
    const ids = left.slice(0, PAGE_SIZE);
    return { ids, next: left.length > PAGE_SIZE ? (ids.at(-1) ?? null) : null };
  }

  const read = async (exchange: Exchange) => json(await list(exchange.scope, readQuery(exchange, pageQuery).after));
  const ofEveryHost: Routes = {
    'api/organizations': { GET: read },
    'api/organizations/*': { GET: (exchange) => view(exchange, exchange.id) },
    'api/organizations/*/grant': {
      POST: change(newGrant, (organizationId, fields) => grant({ organizationId, ...fields })),
    },
  };
  if (!hasKeyRegistry) return ofEveryHost;
  return {
    ...ofEveryHost,
    'api/organizations': {
      GET: read,
      async POST(exchange) {
        const fields = await readChange(exchange, newOrganization);
        exchange.scope.require(fields.id);
        await organizations.create(fields);
        return view(exchange, fields.id);
      },
    },
    'api/organizations/*/limits': { POST: change(newLimits, (id, limits) => organizations.update(id, limits)) },
    'api/organizations/*/suspend': { POST: change(nothing, (id) => organizations.suspend(id)) },
    'api/organizations/*/resume': { POST: change(nothing, (id) => organizations.resume(id)) },
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
  return {
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
  };
}
