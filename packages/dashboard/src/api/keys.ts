import type { Administration, ApiKeyView } from '@searchgate/core/administration';
import { formatUsd, LIMIT_RESETS } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { Scope } from '../scope.js';
import type { KeyRow, Page } from './contract.js';
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
import { notFound, Problem } from './problem.js';
import { fromWire, limitFields, toWire } from './wire-names.js';

const listQuery = z.strictObject({ organization: z.string().optional(), ...pageFields });
const settings = {
  label: z.string(),
  limit: amount.nullable().optional(),
  limit_reset: z.enum(LIMIT_RESETS).nullable().optional(),
  allowed_models: z.array(z.string()).nullable().optional(),
  ...limitFields,
  expires_at: z.string().nullable().optional(),
};
const newKey = z.strictObject({ organization_id: z.string(), ...settings });
const keyChange = z.strictObject({ ...settings, label: settings.label.optional() });

/** API keys. Only the response that creates a key contains its secret. */
export function keyRoutes({ apiKeys }: Administration): Routes {
  async function rowOf(key: ApiKeyView): Promise<KeyRow> {
    const { usage, windowUsage, held } = await apiKeys.totals(key);
    return presentKey(key, { usage: formatUsd(key.limit === null ? usage : windowUsage), held: formatUsd(held) });
  }

  async function pageOf(organizationId: string | undefined, page: PageQuery): Promise<Page<KeyRow>> {
    const { items, nextCursor } = await apiKeys.list({ organizationId, ...page });
    return { data: await Promise.all(items.map(rowOf)), next_cursor: nextCursor };
  }

  /** Lists the keys of several organizations in turn. The cursor is the organization reached and its own cursor. */
  async function pageOfSeveral(organizations: readonly string[], { cursor = '', limit }: PageQuery) {
    const [from = '', own] = cursor.split(' ', 2);
    const left = organizations.filter((id) => id >= from);
    for (const [index, id] of left.entries()) {
      const page = await pageOf(id, { cursor: id === from && own !== '' ? own : undefined, limit });
      const next = page.next_cursor === null ? left[index + 1] : id;
      if (page.data.length > 0)
        return { ...page, next_cursor: next === undefined ? null : `${next} ${page.next_cursor ?? ''}` };
    }
    return { data: [], next_cursor: null };
  }

  async function list(scope: Scope, { organization, ...page }: z.output<typeof listQuery>): Promise<Page<KeyRow>> {
    if (organization !== undefined) scope.require(organization);
    else if (scope.organizations !== 'all') return pageOfSeveral(scope.organizations, page);
    return pageOf(organization, page);
  }

  async function seen({ scope, id }: Exchange): Promise<ApiKeyView> {
    const key = await apiKeys.get(id);
    if (key === undefined || !scope.has(key.organizationId)) throw notFound();
    return key;
  }

  /** A change of a key, if the user may see the key. */
  function change<T>(
    schema: z.ZodType<T>,
    make: (key: ApiKeyView, fields: T, exchange: Exchange) => Promise<object>,
  ): Handler {
    return async (exchange) => {
      const key = await seen(exchange);
      return json(await make(key, await readChange(exchange, schema), exchange));
    };
  }

  async function create(fields: z.output<typeof newKey>) {
    const { secret, key } = await apiKeys.create(fromWire(fields));
    return { secret, key: await rowOf(key) };
  }

  return {
    'api/v1/keys': {
      GET: async (exchange) => json(await list(exchange.scope, readQuery(exchange, listQuery))),
      async POST(exchange) {
        const fields = await readChange(exchange, newKey);
        exchange.scope.require(fields.organization_id);
        return json(await create(fields));
      },
    },
    'api/v1/keys/*': { GET: async (exchange) => json(await rowOf(await seen(exchange))) },
    'api/v1/keys/*/update': {
      POST: change(keyChange, async ({ id }, fields) => rowOf(await apiKeys.update(id, fromWire(fields)))),
    },
    'api/v1/keys/*/revoke': { POST: change(nothing, async ({ id }) => rowOf(await apiKeys.revoke(id))) },
    'api/v1/keys/*/rotate': {
      POST: change(nothing, async (key, _fields, { clock }) => create(settingsOf(key, clock.now()))),
    },
  };
}

/** @throws Problem 409 for a revoked or expired key: its copy would undo the revocation, or be useless. */
function settingsOf(key: ApiKeyView, nowMs: number): z.output<typeof newKey> {
  const { organizationId, label, limit, limitReset, allowedModels, expiresAtMs } = key;
  if (key.revokedAtMs !== null) throw new Problem(409, 'The key is revoked. Create a new one.');
  if (expiresAtMs !== null && expiresAtMs <= nowMs) throw new Problem(409, 'The key has expired. Create a new one.');
  return toWire({
    organizationId,
    label,
    limit: limit === null ? null : formatUsd(limit),
    limitReset,
    allowedModels: allowedModels === null ? null : [...allowedModels],
    rateLimit: key.rateLimit ?? null,
    maxConcurrent: key.maxConcurrent ?? null,
    expiresAt: expiresAtMs === null ? null : isoTime(expiresAtMs),
  });
}

function presentKey(key: ApiKeyView, { usage, held }: Pick<KeyRow, 'usage' | 'held'>): KeyRow {
  const { id, organizationId, label, createdAtMs, expiresAtMs, revokedAtMs, limit, limitReset, allowedModels } = key;
  return toWire({
    id,
    organizationId,
    label,
    createdAt: isoTime(createdAtMs),
    expiresAt: expiresAtMs === null ? null : isoTime(expiresAtMs),
    revokedAt: revokedAtMs === null ? null : isoTime(revokedAtMs),
    limit: limit === null ? null : formatUsd(limit),
    limitReset,
    allowedModels,
    rateLimit: key.rateLimit ?? null,
    maxConcurrent: key.maxConcurrent ?? null,
    usage,
    held,
  });
}
