import { parseUsd } from '@searchgate/core';
import {
  isMaxConcurrent,
  isRateLimit,
  LIMIT_RESETS,
  type LimitReset,
  ledgerIdSchema,
  MAX_CONCURRENT,
  MAX_REQUESTS,
  type RateLimit,
} from '@searchgate/core/ledger';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';

/*
 * Parsers of option values. Each throws an InvalidArgumentError, which commander reports with the option's name and exit code 2.
 */

/** A value that may be taken away: commander would turn `null` itself into an empty text. */
export interface Setting<T> {
  readonly to: T | null;
}

/** Any text. */
export const anyText = (given: string): Setting<string> => ({ to: given });

const instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const RATE = /^(\d+)\/(\d*)([smhd])$/;
const MS_OF = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Decimal USD of zero or more, such as `25.00`; kept as text, which is what administration takes. */
export function amount(text: string): string {
  if (isUsd(text) && !text.startsWith('-')) return text;
  throw new InvalidArgumentError('A decimal amount of US dollars is wanted, such as 25.00.');
}

/** Decimal USD with a sign. */
export function signedAmount(text: string): string {
  if (isUsd(text)) return text;
  throw new InvalidArgumentError('A decimal amount of US dollars is wanted, such as 1.50 or -1.50.');
}

/** A spend limit; `none` for no limit. */
export function limit(text: string): Setting<string> {
  if (text === 'none') return { to: null };
  if (isUsd(text) && !text.startsWith('-')) return { to: text };
  throw new InvalidArgumentError('A decimal amount of US dollars is wanted, such as 5.00, or none.');
}

/** How often a limit starts over; `never` for not at all. */
export function limitReset(text: string): Setting<LimitReset> {
  if (text === 'never') return { to: null };
  const found = LIMIT_RESETS.find((reset) => reset === text);
  if (found !== undefined) return { to: found };
  throw new InvalidArgumentError(`One of ${LIMIT_RESETS.join(', ')} and never is wanted.`);
}

/** Slugs with commas in between; `all` for every model. */
export function models(text: string): Setting<readonly string[]> {
  if (text === 'all') return { to: null };
  const slugs = text.split(',').map((slug) => slug.trim());
  if (slugs.every((slug) => slug !== '')) return { to: slugs };
  throw new InvalidArgumentError('Slugs with commas in between are wanted, such as exa/answer,local/docs, or all.');
}

/** Requests in a period such as `60/1m`, `5/s` or `1000/1d`; `none` for no limit of its own. */
export function rate(text: string): Setting<RateLimit> {
  if (text === 'none') return { to: null };
  const [, requests, units, unit] = RATE.exec(text) ?? [];
  const periodMs = Number(units || 1) * MS_OF[(unit ?? 's') as keyof typeof MS_OF];
  const found = { requests: Number(requests), periodMs };
  if (isRateLimit(found)) return { to: found };
  throw new InvalidArgumentError(
    `Requests in a period are wanted, such as 60/1m, 5/s or 1000/1d: 1 to ${inWords(MAX_REQUESTS)} in at most one day. Or none.`,
  );
}

/** A number of answers at once; `none` for no limit of its own. */
export function concurrency(text: string): Setting<number> {
  if (text === 'none') return { to: null };
  const found = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (isMaxConcurrent(found)) return { to: found };
  throw new InvalidArgumentError(`A whole number from 1 to ${inWords(MAX_CONCURRENT)} is wanted, or none.`);
}

/** A moment as an ISO date-time; `never` for none. */
export function expiry(text: string): Setting<string> {
  return { to: text === 'never' ? null : moment(text) };
}

/** A date that has begun. */
export function day(text: string): string {
  if (z.iso.date().safeParse(text).success && Date.parse(text) <= Date.now()) return text;
  throw new InvalidArgumentError('A date up to today is wanted, such as 2026-11-21.');
}

/** A date. */
export function date(text: string): string {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError('A date is wanted, such as 2026-11-21.');
}

/** A moment as an ISO date-time in UTC: a day stands for its midnight. */
export function moment(text: string): string {
  const ms = instant.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (ms >= 0) return new Date(ms).toISOString();
  throw new InvalidArgumentError('A day or an ISO date-time is wanted, such as 2026-11-01 or 2026-11-01T12:00:00Z.');
}

/** The id of an organization, a key, a grant or an adjustment. */
export function id(text: string): string {
  if (ledgerIdSchema.safeParse(text).success) return text;
  throw new InvalidArgumentError(
    '1 to 128 printable ASCII characters without spaces are wanted, neither "." nor "..".',
  );
}

function isUsd(text: string): boolean {
  try {
    parseUsd(text);
    return true;
  } catch {
    return false;
  }
}

/** `1,000,000`. */
function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

/** Ends the command where no time lies between two options. No one means that, and its empty output would look like an answer. */
export function checkRange(
  command: Command,
  { since, until }: { since?: string | undefined; until?: string | undefined },
): void {
  if (since === undefined || until === undefined || since < until) return;
  command.error(`error: option '--until' (${until}) must be after '--since' (${since}): it is not included itself.`);
}
