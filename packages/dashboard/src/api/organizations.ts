import type { Administration, OrganizationAccount } from '@searchgate/core/administration';
import { callerLimitSchemas, formatUsd, type Organization } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { OrganizationRow, OrganizationView, Page } from './contract.js';
import { type Exchange, type Handler, json, type Routes, readChange, readQuery } from './exchange.js';
import { notFound } from './problem.js';
import { amount, isoTime, nothing } from './values.js';

const PAGE_SIZE = 100;

const pageQuery = z.strictObject({ after: z.string().optional() });
const newOrganization = z.strictObject({ id: z.string(), name: z.string().nullish() });
const newGrant = z.strictObject({ amount, note: z.string().optional(), grantId: z.string() });
const newLimits = z.strictObject(callerLimitSchemas).required();

/** Organizations: their list, what they have, and what operators change about them. */
export function organizationRoutes({ organizations, grant }: Administration): Routes {
  async function view({ scope }: Exchange, id: string) {
    scope.require(id);
    const account = await organizations.get(id);
    if (account === undefined) throw notFound();
    return json(viewOf(account));
  }

  /** A change of one that is known, which is then shown. */
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

  async function list(scope: Scope, after: string | undefined): Promise<Page<OrganizationRow>> {
    if (scope.organizations === 'all') {
      const { items, nextCursor } = await organizations.list({ limit: PAGE_SIZE, cursor: after });
      return { rows: items.map(rowOf), next: nextCursor };
    }
    const ids = scope.organizations.filter((id) => after === undefined || id > after);
    const found = await Promise.all(ids.slice(0, PAGE_SIZE).map((id) => organizations.get(id)));
    const rows = found.filter((account) => account !== undefined).map(rowOf);
    return { rows, next: ids.length > PAGE_SIZE ? (ids[PAGE_SIZE - 1] ?? null) : null };
  }

  return {
    'api/organizations': {
      GET: async (exchange) => json(await list(exchange.scope, readQuery(exchange, pageQuery).after)),
      async POST(exchange) {
        const fields = await readChange(exchange, newOrganization);
        exchange.scope.require(fields.id);
        await organizations.create(fields);
        return view(exchange, fields.id);
      },
    },
    'api/organizations/*': { GET: (exchange) => view(exchange, exchange.id) },
    'api/organizations/*/grant': {
      POST: change(newGrant, (organizationId, fields) => grant({ organizationId, ...fields })),
    },
    'api/organizations/*/limits': { POST: change(newLimits, (id, limits) => organizations.update(id, limits)) },
    'api/organizations/*/suspend': { POST: change(nothing, (id) => organizations.suspend(id)) },
    'api/organizations/*/resume': { POST: change(nothing, (id) => organizations.resume(id)) },
  };
}

function rowOf({ id, name, createdAtMs, suspendedAtMs, ...limits }: Organization): OrganizationRow {
  return {
    id,
    name,
    createdAt: isoTime(createdAtMs),
    suspendedAt: suspendedAtMs === null ? null : isoTime(suspendedAtMs),
    rateLimit: limits.rateLimit ?? null,
    maxConcurrent: limits.maxConcurrent ?? null,
  };
}

function viewOf(account: OrganizationAccount): OrganizationView {
  const { credits, usage, held } = account;
  const amounts = { credits: formatUsd(credits), usage: formatUsd(usage), held: formatUsd(held) };
  return { ...rowOf(account), ...amounts, balance: formatUsd(credits - usage) };
}
