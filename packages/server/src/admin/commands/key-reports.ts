import { AdministrationError, type ApiKeyUpdate, type ApiKeyView } from '@searchgate/core/administration';
import type { KeyTotals, LimitReset, RateLimit } from '@searchgate/core/ledger';
import { problem } from '../../problems.js';
import { usd } from '../../usd.js';
import type { AdminSession } from '../admin-session.js';
import { allPages } from '../all-pages.js';
import { isNewOrganization, newOrganizationText } from '../new-organization.js';
import type { Setting } from '../option-values.js';
import { amountsJson, concurrencyText, isoTime, keyJson, keyState, limitText, rateText } from '../present.js';
import type { Report } from '../report.js';
import { fieldList, table } from '../table.js';

/** What the options of `keys create` and `keys update` say; absent where one was not given. */
export interface KeyOptions {
  readonly label?: string;
  readonly limit?: Setting<string>;
  readonly reset?: Setting<LimitReset>;
  readonly models?: Setting<readonly string[]>;
  readonly rate?: Setting<RateLimit>;
  readonly concurrency?: Setting<number>;
  readonly expires?: Setting<string>;
}

export type NewKeyOptions = KeyOptions & { readonly org: string; readonly label: string };

interface Row {
  readonly key: ApiKeyView;
  readonly totals: KeyTotals;
}

export async function createKey(
  { administration }: AdminSession,
  { org, label, ...options }: NewKeyOptions,
): Promise<Report> {
  const isNew = await isNewOrganization(administration, org);
  const { secret, key } = await administration.apiKeys.create({
    ...changeOf(options),
    organizationId: org,
    label,
  });
  return {
    text: [
      `Key ${key.id} is there. This is its secret, which is shown only now:`,
      '',
      `  ${secret}`,
      '',
      fieldList(keyFields(key)),
      ...(isNew ? ['', newOrganizationText(org)] : []),
    ].join('\n'),
    json: { secret, key: keyJson(key), organizationIsNew: isNew },
  };
}

export async function listKeys(
  { administration, ledger }: AdminSession,
  organizationId: string | undefined,
): Promise<Report> {
  const ofOne = organizationId === undefined ? {} : { organizationId };
  const rows: Row[] = [];
  for await (const page of allPages((query) => administration.apiKeys.list({ ...ofOne, ...query }))) {
    const read = async (key: ApiKeyView): Promise<Row> => ({
      key,
      totals: await ledger.keyTotals(key.id, key.limitReset),
    });
    rows.push(...(await Promise.all(page.map(read))));
  }
  const nowMs = Date.now();
  const text = table<Row>(
    [
      { title: 'id', of: ({ key }) => key.id },
      { title: 'organization', of: ({ key }) => key.organizationId },
      { title: 'label', of: ({ key }) => key.label },
      { title: 'state', of: ({ key }) => keyState(key, nowMs) },
      { title: 'limit', align: 'right', of: ({ key }) => limitText(key) },
      { title: 'of it used', align: 'right', of: ({ totals }) => usd(totals.windowUsage) },
      { title: 'used in all', align: 'right', of: ({ totals }) => usd(totals.usage) },
      { title: 'rate', align: 'right', of: ({ key }) => rateText(key) },
      { title: 'at once', align: 'right', of: ({ key }) => concurrencyText(key) },
      { title: 'expires', of: ({ key }) => (key.expiresAtMs === null ? 'never' : isoTime(key.expiresAtMs)) },
    ],
    rows,
  );
  return {
    text: rows.length === 0 ? 'There is no key yet.' : text,
    json: rows.map(({ key, totals }) => ({ ...keyJson(key), ...totalsJson(totals) })),
  };
}

export async function showKey({ administration, ledger }: AdminSession, keyId: string): Promise<Report> {
  const key = await administration.apiKeys.get(keyId);
  if (key === undefined) throw new AdministrationError('unknown_key', 'there is no API key of this id');
  const totals = await ledger.keyTotals(keyId, key.limitReset);
  const spent = { 'of limit used': usd(totals.windowUsage), 'used in all': usd(totals.usage), held: usd(totals.held) };
  return {
    text: `Key ${key.id}\n${fieldList({ ...keyFields(key), ...spent })}`,
    json: { ...keyJson(key), ...totalsJson(totals) },
  };
}

function totalsJson({ usage, held, windowUsage }: KeyTotals): Record<string, string> {
  return amountsJson({ usage, held, windowUsage });
}

export async function updateKey({ administration }: AdminSession, keyId: string, options: KeyOptions): Promise<Report> {
  const change = changeOf(options);
  if (change.limit === null && change.limitReset === undefined) {
    const found = await administration.apiKeys.get(keyId);
    if (found != null && found.limitReset !== null)
      throw problem('--limit', `none, for a key whose limit is ${found.limitReset}`, '--reset never beside it');
  }
  const key = await administration.apiKeys.update(keyId, change);
  const heading = Object.keys(change).length === 0 ? 'is as it was' : 'is changed, in every process within seconds';
  return { text: `Key ${key.id} ${heading}.\n${fieldList(keyFields(key))}`, json: keyJson(key) };
}

export async function revokeKey({ administration }: AdminSession, keyId: string): Promise<Report> {
  const key = await administration.apiKeys.revoke(keyId);
  return { text: `Key ${key.id} is revoked, in every process within seconds.`, json: keyJson(key) };
}

function changeOf({ label, limit, reset, models, rate, concurrency, expires }: KeyOptions): ApiKeyUpdate {
  return {
    ...(label === undefined ? {} : { label }),
    ...(limit === undefined ? {} : { limit: limit.to }),
    ...(reset === undefined ? {} : { limitReset: reset.to }),
    ...(models === undefined ? {} : { allowedModels: models.to }),
    ...(rate === undefined ? {} : { rateLimit: rate.to }),
    ...(concurrency === undefined ? {} : { maxConcurrent: concurrency.to }),
    ...(expires === undefined ? {} : { expiresAt: expires.to }),
  };
}

function keyFields(key: ApiKeyView): Record<string, string> {
  return {
    organization: key.organizationId,
    label: key.label,
    state: keyState(key, Date.now()),
    limit: limitText(key),
    models: key.allowedModels?.join(', ') ?? 'all',
    rate: rateText(key),
    'at once': concurrencyText(key),
    created: isoTime(key.createdAtMs),
    expires: key.expiresAtMs === null ? 'never' : isoTime(key.expiresAtMs),
  };
}
