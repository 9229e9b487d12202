import type { Administration, ApiKeyView } from '@searchgate/core/administration';
import { formatUsd, LIMIT_RESETS } from '@searchgate/core/ledger';
import { z } from 'zod';
import type { KeyRow } from './contract.js';
import { csvDownload, csvOfRows } from './csv.js';
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
import { keyFilters, keyLister, keyQuery } from './key-list.js';
import { notFound, Problem } from './problem.js';
import { domainsField, fromWire, limitFields, texts, toWire } from './wire-names.js';

const MAX_CSV_ROWS = 1_000;
/** Most pages that are read for the last use of a key: each is a bounded part of the log. */
const MAX_PAGES = 20;
export const keyCsvQuery = z.strictObject(keyFilters);
const COLUMNS = [
  'id',
  'label',
  'organization_id',
  'usage',
  'held',
  'limit',
  'limit_reset',
  'last_used_at',
  'created_at',
  'expires_at',
  'revoked_at',
  'allowed_models',
  'budgets',
  'rate_limit',
  'max_concurrent',
  'domains',
] as const satisfies readonly (keyof KeyRow)[];

const settings = {
  label: z.string(),
  limit: amount.nullable().optional(),
  limit_reset: z.enum(LIMIT_RESETS).nullable().optional(),
  allowed_models: texts.nullable().optional(),
  budgets: texts.optional(),
  ...limitFields,
  domains: domainsField,
  expires_at: z.string().nullable().optional(),
};
export const newKey = z.strictObject({ organization_id: z.string(), ...settings });
export const keyChange = z.strictObject({ ...settings, label: settings.label.optional() });

/** API keys. Only the response that creates a key contains its secret. */
export function keyRoutes(administration: Administration): Routes {
  const { apiKeys, requests } = administration;
  const inNameOf = ({ scope }: Exchange) => administration.as(scope.actor).apiKeys;

  async function rowOf(key: ApiKeyView, lastUsedMs: number | null): Promise<KeyRow> {
    const { usage, windowUsage, held } = await apiKeys.totals(key);
    const used = formatUsd(key.limit === null ? usage : windowUsage);
    return presentKey(key, { usage: used, held: formatUsd(held), lastUsedMs });
  }

  /** A key by itself, with its last use as far as the log tells. */
  async function oneOf(key: ApiKeyView): Promise<KeyRow> {
    let cursor: string | undefined;
    for (let pages = 0; requests !== null && pages < MAX_PAGES; pages += 1) {
      const filter = { keyId: key.id, organizations: [key.organizationId] };
      const { rows, nextCursor } = await requests.find(filter, { limit: 1, cursor });
      if (rows[0] !== undefined) return rowOf(key, rows[0].atMs);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    return rowOf(key, null);
  }

  const list = keyLister({ apiKeys, requests, rowOf });

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

  async function create(exchange: Exchange, fields: z.output<typeof newKey>) {
    const { secret, key } = await inNameOf(exchange).create(fromWire(fields));
    return { secret, key: await rowOf(key, null) };
  }

  return {
    'api/v1/keys': {
      GET: async (exchange) => json(await list(exchange.scope, readQuery(exchange, keyQuery), exchange.clock.now())),
      async POST(exchange) {
        const fields = await readChange(exchange, newKey);
        exchange.scope.require(fields.organization_id);
        return json(await create(exchange, fields));
      },
    },
    'api/v1/keys.csv': {
      async GET({ scope, clock, ...exchange }) {
        const query = { ...readQuery({ scope, clock, ...exchange }, keyCsvQuery), limit: MAX_CSV_ROWS };
        const { data } = await list(scope, { sort: 'label', ...query }, clock.now());
        return csvDownload(`keys-${isoTime(clock.now()).slice(0, 10)}.csv`, csvOfRows(COLUMNS, data));
      },
    },
    'api/v1/keys/*': { GET: async (exchange) => json(await oneOf(await seen(exchange))) },
    'api/v1/keys/*/update': {
      POST: change(keyChange, async ({ id }, fields, exchange) =>
        oneOf(await inNameOf(exchange).update(id, fromWire(fields))),
      ),
    },
    'api/v1/keys/*/revoke': {
      POST: change(nothing, async ({ id }, _fields, exchange) => oneOf(await inNameOf(exchange).revoke(id))),
    },
    'api/v1/keys/*/rotate': {
      POST: change(nothing, async (key, _fields, exchange) => create(exchange, settingsOf(key, exchange.clock.now()))),
    },
  };
}

/** @throws Problem 409 for a revoked or expired key: its copy would undo the revocation, or be useless. */
function settingsOf(key: ApiKeyView, nowMs: number): z.output<typeof newKey> {
  const { revokedAtMs, expiresAtMs } = key;
  if (revokedAtMs !== null) throw new Problem(409, 'The key is revoked. Create a new one.');
  if (expiresAtMs !== null && expiresAtMs <= nowMs) throw new Problem(409, 'The key has expired. Create a new one.');
  // Takes every field that a new key may have, and no other.
  return z.object(newKey.shape).parse(presentKey(key, { usage: '0', held: '0', lastUsedMs: null }));
}

interface Sums extends Pick<KeyRow, 'usage' | 'held'> {
  readonly lastUsedMs: number | null;
}

function presentKey(key: ApiKeyView, { usage, held, lastUsedMs }: Sums): KeyRow {
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
    budgets: key.budgets ?? [],
    rateLimit: key.rateLimit ?? null,
    maxConcurrent: key.maxConcurrent ?? null,
    domains: key.domains ?? null,
    lastUsedAt: lastUsedMs === null ? null : isoTime(lastUsedMs),
    usage,
    held,
  });
}
