import { LedgerError } from '../errors/ledger-error.js';
import { MAX_NANO_USD, MAX_TOTAL_NANO_USD, type NanoUsd } from '../money.js';
import { LAST_DAY } from '../time/clock.js';
import { LIMIT_RESETS, type LimitReset } from '../time/limit-window.js';
import { isMaxConcurrent, isRateLimit, MAX_CONCURRENT_WANTED, RATE_LIMIT, type RateLimit } from '../time/rate-limit.js';
import { hasMoreCharacters, isStorable } from './characters.js';
import { describeValue } from './parse-options.js';
import { isTag, TAG } from './tag.js';

/*
 * The checks of single arguments that ledgers, key registries and administration share. Each throws a LedgerError naming the argument, the found value and
 * the expected value.
 */

/** The expected form of an id, for errors. */
export const LEDGER_ID = '1 to 128 printable ASCII characters without spaces, neither "." nor ".."';
const MAX_ID_CHARACTERS = 128;
/** The printable ASCII characters without the space. */
const FIRST_PRINTABLE = 0x21;
const LAST_PRINTABLE = 0x7e;
const MAX_TEXT_CHARACTERS = 1_000;
const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1_000;

/** @throws LedgerError `invalid_id`. */
export function checkLedgerId(name: string, id: string): void {
  if (typeof id === 'string' && isLedgerId(id)) return;
  throw refusal('invalid_id', name, { found: id, expected: LEDGER_ID });
}

// Each answer checks five ids, and this function takes two thirds of the time of the regular expression /^[\x21-\x7e]{1,128}$/.
export function isLedgerId(id: string): boolean {
  if (id.length === 0 || id.length > MAX_ID_CHARACTERS) return false;
  // In the path of a URL these two mean another path, in any encoding.
  if (id === '.' || id === '..') return false;
  for (let index = 0; index < id.length; index += 1) {
    const character = id.charCodeAt(index);
    if (character < FIRST_PRINTABLE || character > LAST_PRINTABLE) return false;
  }
  return true;
}

/** @throws LedgerError `invalid_amount` unless the amount is 0 to 2^62 nanodollars. */
export function checkAmount(name: string, amount: NanoUsd): void {
  if (typeof amount === 'bigint' && amount >= 0n && amount <= MAX_NANO_USD) return;
  throw refusal('invalid_amount', name, { found: amount, expected: 'a bigint of nanodollars from 0 to 2^62' });
}

/** @throws LedgerError `invalid_argument`. */
export function checkTime(name: string, timeMs: number): void {
  if (Number.isSafeInteger(timeMs) && timeMs >= 0) return;
  throw refusal('invalid_argument', name, { found: timeMs, expected: 'whole milliseconds since the Unix epoch' });
}

/** @throws LedgerError `invalid_argument`. */
export function checkDay(name: string, day: number): void {
  if (Number.isInteger(day) && day >= 0 && day <= LAST_DAY) return;
  throw refusal('invalid_argument', name, { found: day, expected: 'whole days since the Unix epoch' });
}

/** @throws LedgerError `invalid_argument`. */
export function checkTag(name: string, tag: string): void {
  if (typeof tag !== 'string' || !isTag(tag)) throw refusal('invalid_argument', name, { found: tag, expected: TAG });
}

/** @throws LedgerError `invalid_argument`. */
export function checkLimitReset(name: string, limitReset: LimitReset | null | undefined): void {
  if (limitReset == null || LIMIT_RESETS.includes(limitReset)) return;
  throw refusal('invalid_argument', name, { found: limitReset, expected: `${LIMIT_RESETS.join(', ')} or null` });
}

/** `null` and absent stand for no limit. @throws LedgerError `invalid_argument`. */
export function checkRateLimit(name: string, limit: RateLimit | null | undefined): void {
  if (limit != null && !isRateLimit(limit))
    throw refusal('invalid_argument', name, { found: limit, expected: RATE_LIMIT });
}

/** @throws LedgerError `invalid_argument`. */
export function checkSwitch(name: string, value: boolean | undefined): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw refusal('invalid_argument', name, { found: value, expected: 'true or false' });
}

/** `null` and absent stand for no limit. @throws LedgerError `invalid_argument`. */
export function checkMaxConcurrent(name: string, most: number | null | undefined): void {
  if (most != null && !isMaxConcurrent(most))
    throw refusal('invalid_argument', name, { found: most, expected: MAX_CONCURRENT_WANTED });
}

/** Also refuses characters that not every engine can store: NUL and halves of surrogate pairs. @throws LedgerError `invalid_argument`. */
export function checkText(name: string, text: string): void {
  if (typeof text === 'string' && !hasMoreCharacters(text, MAX_TEXT_CHARACTERS) && isStorable(text)) return;
  const expected = `a well-formed text of at most ${MAX_TEXT_CHARACTERS} characters, none of them NUL`;
  throw refusal('invalid_argument', name, { found: text, expected });
}

/** @returns the page size; default 100. @throws LedgerError `invalid_argument`. */
export function checkPageSize(name: string, limit: number = DEFAULT_PAGE_SIZE): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE_SIZE) return limit;
  throw refusal('invalid_argument', name, { found: limit, expected: `a whole number from 1 to ${MAX_PAGE_SIZE}` });
}

/** The error for a wrong argument: its name, the found value and the expected value. */
export function refusal(
  reason: 'invalid_id' | 'invalid_amount' | 'invalid_argument',
  name: string,
  { found, expected }: { found: unknown; expected: string },
): LedgerError {
  return new LedgerError(reason, `${name}: found ${describeValue(found)}, expected ${expected}`);
}

/** @throws LedgerError `invalid_amount` if the total does not fit in a signed 64-bit number, as every engine stores it. */
export function checkTotal(name: string, total: NanoUsd): void {
  if (total <= MAX_TOTAL_NANO_USD && total >= -MAX_TOTAL_NANO_USD) return;
  throw refusal('invalid_amount', name, { found: total, expected: 'a total from -(2^63 - 1) to 2^63 - 1 nanodollars' });
}
