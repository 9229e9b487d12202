import { formatUsd, type NanoUsd } from '@searchgate/core';
import type { ApiKeyView } from '@searchgate/core/administration';
import type { LedgerEntry, Organization } from '@searchgate/core/ledger';
import { usd } from '../usd.js';

/** A moment as an ISO date-time. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

const isoTimeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

export function keyJson(key: ApiKeyView): object {
  const { id, organizationId, label, limit, limitReset, allowedModels } = key;
  return {
    id,
    organizationId,
    label,
    limit: limit === null ? null : formatUsd(limit),
    limitReset,
    allowedModels,
    createdAt: isoTime(key.createdAtMs),
    expiresAt: isoTimeOrNull(key.expiresAtMs),
    revokedAt: isoTimeOrNull(key.revokedAtMs),
  };
}

export function organizationJson({ id, name, createdAtMs, suspendedAtMs }: Organization): object {
  return { id, name, createdAt: isoTime(createdAtMs), suspendedAt: isoTimeOrNull(suspendedAtMs) };
}

/** An entry of the log, its own fields included, as plain JSON. */
export function entryJson({ atMs, amount, kind, id, ...entry }: LedgerEntry): Record<string, unknown> {
  return { at: isoTime(atMs), kind, id, ...entry, amount: formatUsd(amount) };
}

/** `$5.00 monthly`, `$5.00` or `none`. */
export function limitText({ limit, limitReset }: Pick<ApiKeyView, 'limit' | 'limitReset'>): string {
  if (limit === null) return 'none';
  return limitReset === null ? usd(limit) : `${usd(limit)} ${limitReset}`;
}

/** What a key is good for at a moment. */
export function keyState({ revokedAtMs, expiresAtMs }: ApiKeyView, nowMs: number): string {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

/** Amounts of a JSON object, by name. */
export function amountsJson<Name extends string>(amounts: Readonly<Record<Name, NanoUsd>>): Record<Name, string> {
  const entries = Object.entries<NanoUsd>(amounts).map(([name, amount]) => [name, formatUsd(amount)] as const);
  return Object.fromEntries(entries) as Record<Name, string>;
}
