import type { Administration, TenantKeyView } from '@searchgate/core/administration';
import { z } from 'zod';
import type { Page, TenantKeyRow } from './contract.js';
import { type Exchange, isoTime, json, nothing, type Routes, readChange } from './exchange.js';
import { notFound, Problem } from './problem.js';

/** Nothing of a key may reach a message, so it is checked before anything else sees it. */
export const newTenantKey = z.strictObject({
  api_key: z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be the key as the provider gave it: no spaces, at most 500 characters'),
});

/** The keys that an organization has at providers itself. No response has a key. */
export function tenantKeyRoutes(administration: Administration): Routes {
  /** Those of an organization that the user may see. @throws Problem 404. */
  async function seen({ scope, id }: Exchange): Promise<readonly TenantKeyView[]> {
    scope.require(id);
    if (administration.tenantKeys === null)
      throw new Problem(404, 'Organizations have no keys at providers here: the host has no store for them.');
    if ((await administration.organizations.get(id)) === undefined) throw notFound();
    return administration.tenantKeys.list(id);
  }

  /** @throws Problem 404. */
  async function seenOne(exchange: Exchange): Promise<TenantKeyRow> {
    const key = (await seen(exchange)).find(({ providerId }) => providerId === exchange.part);
    if (key === undefined) throw notFound();
    return rowOf(key);
  }

  const inNameOf = ({ scope }: Exchange) => administration.as(scope.actor).tenantKeys;

  return {
    'api/v1/organizations/*/tenant-keys': {
      async GET(exchange) {
        const body: Page<TenantKeyRow> = { data: (await seen(exchange)).map(rowOf), next_cursor: null };
        return json(body);
      },
    },
    'api/v1/organizations/*/tenant-keys/*': {
      async PUT(exchange) {
        await seen(exchange);
        const { api_key } = await readChange(exchange, newTenantKey);
        await inNameOf(exchange)?.set(exchange.id, exchange.part, api_key);
        return json(await seenOne(exchange));
      },
      async DELETE(exchange) {
        if (exchange.request.header('content-type') !== undefined) await readChange(exchange, nothing);
        const row = await seenOne(exchange);
        await inNameOf(exchange)?.delete(exchange.id, exchange.part);
        return json(row);
      },
    },
  };
}

function rowOf({ providerId, lastCharacters, createdAtMs }: TenantKeyView): TenantKeyRow {
  return { provider: providerId, last_characters: lastCharacters, created_at: isoTime(createdAtMs) };
}
