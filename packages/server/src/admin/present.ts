import { formatUsd, type NanoUsd } from '@searchgate/core';
import type { ApiKeyView } from '@searchgate/core/administration';
import type { DomainRule, LedgerEntry, RateLimit } from '@searchgate/core/ledger';
import { usd } from '../usd.js';

/** A key or an organization. */
interface Limited {
  readonly rateLimit?: RateLimit | null | undefined;
  readonly maxConcurrent?: number | null | undefined;
  readonly domains?: DomainRule | null | undefined;
}

/** Longest unit first. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** A moment as an ISO date-time. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** An entry of the log as plain JSON: every amount is a decimal string. */
export function entryJson({ atMs, kind, id, ...entry }: LedgerEntry): Record<string, unknown> {
  const shown: Record<string, unknown> = { at: isoTime(atMs), kind, id };
  for (const [name, value] of Object.entries(entry)) shown[name] = typeof value === 'bigint' ? formatUsd(value) : value;
  return shown;
}

/** `$5.00 monthly`, `$5.00` or `none`. */
export function limitText({ limit, limitReset }: Pick<ApiKeyView, 'limit' | 'limitReset'>): string {
  if (limit === null) return 'none';
  return limitReset === null ? usd(limit) : `${usd(limit)} ${limitReset}`;
}

/** The rate limit as typed on a command line, such as `60/1m`; `none` without a limit. */
export function rateText({ rateLimit }: Limited): string {
  if (rateLimit == null) return 'none';
  const { requests, periodMs } = rateLimit;
  const [name, unitMs] = UNITS.find(([, each]) => periodMs % each === 0) ?? ['s', 1_000];
  return `${requests}/${periodMs / unitMs}${name}`;
}

/** `4`, or `none` without a limit. */
export function concurrencyText({ maxConcurrent }: Limited): string {
  return maxConcurrent == null ? 'none' : String(maxConcurrent);
}

const MOST_DOMAINS = 5;

/** `only example.org, example.com`, `never …` or `all`; a long list is cut. */
export function domainsText({ domains }: Limited): string {
  if (domains == null) return 'all';
  const [[kind, names] = ['', []]] = Object.entries<readonly string[]>(domains);
  const more = names.length > MOST_DOMAINS ? ` and ${names.length - MOST_DOMAINS} more` : '';
  return `${kind} ${names.slice(0, MOST_DOMAINS).join(', ')}${more}`;
}

/** The state of a key at a moment. */
export function keyState({ revokedAtMs, expiresAtMs }: ApiKeyView, nowMs: number): string {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : 'active';
}

/** Amounts as a JSON object, by name. */
export function amountsJson<Name extends string>(amounts: Readonly<Record<Name, NanoUsd>>): Record<Name, string> {
  const entries = Object.entries<NanoUsd>(amounts).map(([name, amount]) => [name, formatUsd(amount)] as const);
  return Object.fromEntries(entries) as Record<Name, string>;
}
