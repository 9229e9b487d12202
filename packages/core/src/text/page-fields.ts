import { firstCharacters, wellFormed } from '../base/options/characters.js';
import { parseUrl } from '../base/parse-url.js';
import { plainText } from './plain-text.js';
import { MAX_TITLE_CHARACTERS, MAX_URL_CHARACTERS } from './reply-limits.js';

/** An http(s) address as the URL standard writes it; `undefined` for any other value. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS || !/^https?:\/\//i.test(value)) return undefined;
  const url = parseUrl(value)?.href;
  return url !== undefined && url.length <= MAX_URL_CHARACTERS ? url : undefined;
}

/** The title of a page on one line; without one, the host of its address. */
export function pageTitle(title: unknown, url: string): string {
  const line = plainText(boundText(title, MAX_TITLE_CHARACTERS));
  return line === '' ? boundText(new URL(url).hostname, MAX_TITLE_CHARACTERS) : line;
}

/** The beginning of a text, without white space around it; `''` for any other value. */
export function boundText(text: unknown, most: number): string {
  return typeof text === 'string' ? wellFormed(firstCharacters(text.trim(), most).trimEnd()) : '';
}

/** The earliest and the latest year of a date that is believed. */
const YEARS = { first: 1900, last: 2100 };

/**
 * The day of a date that a vendor gave, as `YYYY-MM-DD`; `null` where no certain day can be read: `3 days ago`, a year alone, a date whose day and month may
 * be confused.
 */
export function dayOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_DATE_CHARACTERS) return null;
  const text = value.trim();
  if (/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(text)) return existing(text.slice(0, 10));
  // `Nov 2, 2026`, `2 November 2026`, `Mon, 02 Nov 2026 10:00:00 GMT`: the month is a word, so no order has to be known.
  const [, day, month, year] = /\b(\d{1,2}) ([A-Za-z]{3,9})\.?,? (\d{4})\b/.exec(text) ?? [];
  const [, monthFirst, dayNext, yearLast] = /\b([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})\b/.exec(text) ?? [];
  const word = (month ?? monthFirst ?? '').toLowerCase();
  const at = MONTHS.findIndex(
    (name) => word === name || word === name.slice(0, 3) || (word === 'sept' && name === 'september'),
  );
  if (at === -1) return null;
  const two = (number: number | string) => String(number).padStart(2, '0');
  return existing(`${year ?? yearLast}-${two(at + 1)}-${two(day ?? dayNext ?? '')}`);
}

const MAX_DATE_CHARACTERS = 64;
const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** `null` for days such as February 30, and for years that no page has. */
function existing(day: string): string | null {
  const [year, month, date] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8))];
  const exists = month >= 1 && month <= 12 && date >= 1 && date <= lastDayOf(year, month);
  return exists && year >= YEARS.first && year <= YEARS.last ? day : null;
}

/** Arithmetic, because `Date` takes ten times as long. */
function lastDayOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}
