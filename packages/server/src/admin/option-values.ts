import { parseUsd } from '@searchgate/core';
import {
  type DomainRule,
  isMaxConcurrent,
  isRateLimit,
  LIMIT_RESETS,
  type LimitReset,
  ledgerIdSchema,
  MAX_BUDGETS_OF_CALL,
  MAX_CONCURRENT,
  MAX_REQUESTS,
  type RateLimit,
  readDomainRule,
} from '@searchgate/core/ledger';
import { type Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';

/*
 * Parsers of option values. Each throws an InvalidArgumentError; commander prints it with the option's name and exits with 2.
 */

/** Wraps a value that may be `null`: commander would turn a bare `null` into an empty text. */
export interface Setting<T> {
  readonly to: T | null;
}

/** The option that makes an organization by naming it. */
export const CREATE = ['--create', 'make the organization if there is none of this id'] as const;

/** Any text. */
export const anyText = (given: string): Setting<string> => ({ to: given });

const instant = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const RATE = /^(\d+)\/(\d*)([smhd])$/;
const MS_OF = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Names separated by commas. */
export const names = (text: string): string[] => text.split(',').map((name) => name.trim());

/** Decimal USD, zero or more, such as `25.00`; kept as text for administration. */
export function amount(text: string): string {
  if (isUsd(text) && !text.startsWith('-')) return text;
  throw new InvalidArgumentError('Expected a decimal amount of US dollars, such as 25.00.');
}

/** Decimal USD with a sign. */
export function signedAmount(text: string): string {
  if (isUsd(text)) return text;
  throw new InvalidArgumentError('Expected a decimal amount of US dollars, such as 1.50 or -1.50.');
}

/** A spend limit; `none` for no limit. */
export function limit(text: string): Setting<string> {
  if (text === 'none') return { to: null };
  if (isUsd(text) && !text.startsWith('-')) return { to: text };
  throw new InvalidArgumentError('Expected a decimal amount of US dollars, such as 5.00, or none.');
}

/** The period of a limit; `never` for a limit that does not reset. */
export function limitReset(text: string): Setting<LimitReset> {
  if (text === 'never') return { to: null };
  const found = LIMIT_RESETS.find((reset) => reset === text);
  if (found !== undefined) return { to: found };
  throw new InvalidArgumentError(`Expected one of ${LIMIT_RESETS.join(', ')}, or never.`);
}

/** Slugs separated by commas; `all` for every model. */
export function models(text: string): Setting<readonly string[]> {
  if (text === 'all') return { to: null };
  const slugs = names(text);
  if (slugs.every((slug) => slug !== '')) return { to: slugs };
  throw new InvalidArgumentError('Expected slugs separated by commas, such as exa/answer,local/docs, or all.');
}

/** Ids of budgets separated by commas; `none` for none. */
export function budgetIds(text: string): Setting<readonly string[]> {
  const ids = text === 'none' ? [] : names(text);
  if (ids.length <= MAX_BUDGETS_OF_CALL && ids.every((each) => ledgerIdSchema.safeParse(each).success))
    return { to: ids };
  throw new InvalidArgumentError('Expected up to four budgets separated by commas, such as team:a,user:ada, or none.');
}

/** Host names separated by commas, as a rule; `none` for no rule. */
export const domains =
  (kind: 'only' | 'never' | 'none') =>
  (text: string): Setting<DomainRule> => {
    if (kind === 'none' && text === kind) return { to: null };
    const rule = readDomainRule({ [kind]: names(text) });
    if (rule !== undefined) return { to: rule };
    const expected = kind === 'none' ? kind : 'up to 1,000 host names with commas in between, such as example.org';
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };

/** Requests per period such as `60/1m`, `5/s` or `1000/1d`; `none` for no limit. */
export function rate(text: string): Setting<RateLimit> {
  if (text === 'none') return { to: null };
  const [, requests, units, unit] = RATE.exec(text) ?? [];
  const periodMs = Number(units || 1) * MS_OF[(unit ?? 's') as keyof typeof MS_OF];
  const found = { requests: Number(requests), periodMs };
  if (isRateLimit(found)) return { to: found };
  throw new InvalidArgumentError(
    `Expected requests per period, such as 60/1m, 5/s or 1000/1d: 1 to ${inWords(MAX_REQUESTS)} in at most one day. Or none.`,
  );
}

/** Who pays for an organization's calls. */
export function payer(text: string): Setting<boolean> {
  if (text === 'operator' || text === 'organization') return { to: text === 'operator' };
  throw new InvalidArgumentError('Expected operator or organization.');
}

/** Parallel answers; `none` for no limit. */
export function concurrency(text: string): Setting<number> {
  if (text === 'none') return { to: null };
  const found = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (isMaxConcurrent(found)) return { to: found };
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${inWords(MAX_CONCURRENT)}, or none.`);
}

/** An ISO date-time to come; `never` for none. */
export function expiry(text: string): Setting<string> {
  if (text === 'never') return { to: null };
  const time = moment(text);
  if (Date.parse(time) > Date.now()) return { to: time };
  throw new InvalidArgumentError('Expected a time to come, or never. To end a key now, revoke it.');
}

/** A date, not in the future. */
export function day(text: string): string {
  if (z.iso.date().safeParse(text).success && Date.parse(text) <= Date.now()) return text;
  throw new InvalidArgumentError('Expected a date up to today, such as 2026-11-21.');
}

/** A date. */
export function date(text: string): string {
  if (z.iso.date().safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a date, such as 2026-11-21.');
}

/** An ISO date-time in UTC: a day means its midnight. */
export function moment(text: string): string {
  const ms = instant.safeParse(text).success ? Date.parse(text) : Number.NaN;
  if (ms >= 0) return new Date(ms).toISOString();
  throw new InvalidArgumentError('Expected a day or an ISO date-time, such as 2026-11-01 or 2026-11-01T12:00:00Z.');
}

/** The id of an organization, a key, a grant or an adjustment. */
export function id(text: string): string {
  if (ledgerIdSchema.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected 1 to 128 printable ASCII characters without spaces, but not "." or "..".');
}

function isUsd(text: string): boolean {
  try {
    parseUsd(text);
    return true;
  } catch {
    return false;
  }
}

/** Formats a number as `1,000,000`. */
function inWords(count: number): string {
  return count.toLocaleString('en-US');
}

/** Which rows of a log. */
export interface LogRange {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly org?: string | undefined;
  readonly key?: string | undefined;
}

/** Adds the options of a {@link LogRange}. */
export function withRange(command: Command): Command {
  return command
    .option('--since <time>', 'the first moment that counts, such as 2026-11-01 or 2026-11-01T12:00:00Z', moment)
    .option('--until <time>', 'the end, itself not included', moment)
    .option('--org <id>', 'of one organization', id)
    .option('--key <id>', 'of one key', id);
}

/** Milliseconds since the Unix epoch of a {@link moment}. */
export function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

/** Ends the command if `until` is not after `since`: an empty output would look like an answer. */
export function checkRange(command: Command, { since, until }: LogRange): void {
  if (since === undefined || until === undefined || since < until) return;
  command.error(`error: option '--until' (${until}) must be after '--since' (${since}): it is not included itself.`);
}
