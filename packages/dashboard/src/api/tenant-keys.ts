import type { Administration, TenantKeyAdministration, TenantKeyView } from '@searchgate/core/administration';
import { z } from 'zod';
import type { Page, TenantKeyRow } from './contract.js';
import { type Exchange, isoTime, json, nothing, type Routes, readChange } from './exchange.js';
import { notFound, Problem } from './problem.js';

const API_KEY = 'must be the key as the provider gave it: no spaces, at most 600 characters';
/** Checked before anything else sees the key: no message may repeat it. */
export const newTenantKey = z.strictObject({ api_key: z.string().regex(/^[\x21-\x7e]{1,600}$/, API_KEY) });

/** The keys that an organization has at providers itself. No response has a key. */
export function tenantKeyRoutes(administration: Administration): Routes {
  /** The vault, in the name of the user, who may see the organization. @throws Problem 404. */
  async function vaultOf({ scope, id }: Exchange): Promise<TenantKeyAdministration> {
    scope.require(id);
    const { tenantKeys, organizations } = administration.as(scope.actor);
    if (tenantKeys === null) throw new Problem(404, 'This host keeps no provider keys of organizations.');
    if ((await organizations.get(id)) === undefined) throw notFound();
    return tenantKeys;
  }

  async function seen(exchange: Exchange): Promise<TenantKeyView> {
    const keys = await (await vaultOf(exchange)).list(exchange.id);
    const key = keys.find(({ providerId }) => providerId === exchange.part);
    if (key === undefined) throw notFound();
    return key;
  }

  return {
    'api/v1/organizations/*/tenant-keys': {
      async GET(exchange) {
        const keys = await (await vaultOf(exchange)).list(exchange.id);
        const body: Page<TenantKeyRow> = { data: keys.map(rowOf), next_cursor: null };
        return json(body);
      },
    },
    'api/v1/organizations/*/tenant-keys/*': {
      isOfTenants: true,
      GET: async (exchange) => json(rowOf(await seen(exchange))),
      async PUT(exchange) {
        const vault = await vaultOf(exchange);
        const { api_key } = await readChange(exchange, newTenantKey);
        return json(rowOf(await vault.set(exchange.id, exchange.part, api_key)));
      },
      async DELETE(exchange) {
        const { id, part, request } = exchange;
        if (request.header('content-type') !== undefined) await readChange(exchange, nothing);
        const key = await seen(exchange);
        if (!(await (await vaultOf(exchange)).delete(id, part))) throw notFound();
        return json(rowOf(key));
      },
    },
  };
}

function rowOf({ providerId, lastCharacters, createdAtMs }: TenantKeyView): TenantKeyRow {
  return { provider: providerId, last_characters: lastCharacters, created_at: isoTime(createdAtMs) };
}
