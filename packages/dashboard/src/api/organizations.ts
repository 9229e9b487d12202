import type { Administration } from '@searchgate/core/administration';
import { z } from 'zod';
import type { Erased } from './contract.js';
import {
  amount,
  type Exchange,
  type Handler,
  json,
  nothing,
  pageFields,
  type Routes,
  readChange,
  readQuery,
  signedAmount,
} from './exchange.js';
import { organizationLister, organizationViewer } from './organization-list.js';
import { notFound, Problem } from './problem.js';
import { domainsField, fromWire, limitFields } from './wire-names.js';

export const pageQuery = z.strictObject(pageFields);
export const organizationQuery = z.strictObject({ search: z.string().max(200).optional(), ...pageFields });
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
    const [one] = await viewsOf([account], clock);
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

  const list = organizationLister(administration, viewsOf);
  const read = async (exchange: Exchange) =>
    json(await list(exchange.scope, readQuery(exchange, organizationQuery), exchange.clock));
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
