import type { Administration, ApiKeyView } from '@searchgate/core/administration';
import { callerLimitSchemas, formatUsd, LIMIT_RESETS } from '@searchgate/core/ledger';
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
  type Routes,
  readChange,
  readQuery,
} from './exchange.js';
import { notFound, Problem } from './problem.js';

const PAGE_SIZE = 100;

const listQuery = z.strictObject({ organization: z.string().optional(), after: z.string().optional() });
const settings = {
  label: z.string(),
  limit: amount.nullable().optional(),
  limitReset: z.enum(LIMIT_RESETS).nullable().optional(),
  allowedModels: z.array(z.string()).nullable().optional(),
  ...callerLimitSchemas,
  expiresAt: z.string().nullable().optional(),
};
const newKey = z.strictObject({ organizationId: z.string(), ...settings });
const keyChange = z.strictObject({ ...settings, label: settings.label.optional() });

/** API keys. Only the response that creates a key contains its secret. */
export function keyRoutes({ apiKeys }: Administration): Routes {
  async function rowOf(key: ApiKeyView): Promise<KeyRow> {
    const { usage, windowUsage, held } = await apiKeys.totals(key);
    return presentKey(key, { usage: formatUsd(key.limit === null ? usage : windowUsage), held: formatUsd(held) });
  }

  async function pageOf(organizationId: string | undefined, cursor: string | undefined): Promise<Page<KeyRow>> {
    const { items, nextCursor } = await apiKeys.list({ organizationId, cursor, limit: PAGE_SIZE });
    return { rows: await Promise.all(items.map(rowOf)), next: nextCursor };
  }

  /** Lists the keys of several organizations in turn. `after` is the organization reached and its cursor. */
  async function pageOfSeveral(organizations: readonly string[], after = ''): Promise<Page<KeyRow>> {
    const [from = '', cursor] = after.split(' ', 2);
    const left = organizations.filter((id) => id >= from);
    for (const [index, id] of left.entries()) {
      const page = await pageOf(id, id === from && cursor !== '' ? cursor : undefined);
      const next = page.next === null ? left[index + 1] : id;
      if (page.rows.length > 0)
        return { rows: page.rows, next: next === undefined ? null : `${next} ${page.next ?? ''}` };
    }
    return { rows: [], next: null };
  }

  async function list(scope: Scope, { organization, after }: z.output<typeof listQuery>): Promise<Page<KeyRow>> {
    if (organization !== undefined) scope.require(organization);
    else if (scope.organizations !== 'all') return pageOfSeveral(scope.organizations, after);
    return pageOf(organization, after);
  }

  /** A change of a key, if the user may see the key. */
  function change<T>(
    schema: z.ZodType<T>,
    make: (key: ApiKeyView, fields: T, exchange: Exchange) => Promise<object>,
  ): Handler {
    return async (exchange) => {
      const key = await apiKeys.get(exchange.id);
      if (key === undefined || !exchange.scope.has(key.organizationId)) throw notFound();
      return json(await make(key, await readChange(exchange, schema), exchange));
    };
  }

  async function create(fields: z.output<typeof newKey>) {
    const { secret, key } = await apiKeys.create(fields);
    return { secret, key: await rowOf(key) };
  }

  return {
    'api/keys': {
      GET: async (exchange) => json(await list(exchange.scope, readQuery(exchange, listQuery))),
      async POST(exchange) {
        const fields = await readChange(exchange, newKey);
        exchange.scope.require(fields.organizationId);
        return json(await create(fields));
      },
    },
    'api/keys/*/update': { POST: change(keyChange, async ({ id }, fields) => rowOf(await apiKeys.update(id, fields))) },
    'api/keys/*/revoke': { POST: change(nothing, async ({ id }) => rowOf(await apiKeys.revoke(id))) },
    'api/keys/*/rotate': {
      POST: change(nothing, async (key, _fields, { clock }) => create(settingsOf(key, clock.now()))),
    },
  };
}

/** @throws Problem 409 for a revoked or expired key: its copy would undo the revocation, or be useless. */
function settingsOf(key: ApiKeyView, nowMs: number): z.output<typeof newKey> {
  const { organizationId, label, limit, limitReset, allowedModels, expiresAtMs } = key;
  if (key.revokedAtMs !== null) throw new Problem(409, 'The key is revoked. Create a new one.');
  if (expiresAtMs !== null && expiresAtMs <= nowMs) throw new Problem(409, 'The key has expired. Create a new one.');
  return {
    organizationId,
    label,
    limit: limit === null ? null : formatUsd(limit),
    limitReset,
    allowedModels: allowedModels === null ? null : [...allowedModels],
    rateLimit: key.rateLimit ?? null,
    maxConcurrent: key.maxConcurrent ?? null,
    expiresAt: expiresAtMs === null ? null : isoTime(expiresAtMs),
  };
}

function presentKey(key: ApiKeyView, { usage, held }: Pick<KeyRow, 'usage' | 'held'>): KeyRow {
  const { id, organizationId, label, createdAtMs, expiresAtMs, revokedAtMs, limit, limitReset, allowedModels } = key;
  return {
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
  };
}
