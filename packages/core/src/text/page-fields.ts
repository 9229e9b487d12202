import { GatheredText } from '../base/gathered-pieces.js';
import { firstCharacters, hasMoreCharacters, isVisible, wellFormed } from '../base/options/characters.js';
import { parseUrl } from '../base/parse-url.js';
import { HASH, isDigit, isLetter, isWhiteSpace, SPACE, skip } from './characters.js';
import { MAX_TITLE_CHARACTERS, MAX_URL_CHARACTERS } from './reply-limits.js';

/** The longest snippet that is made of a page, including the ellipsis. */
export const MAX_EXCERPT_CHARACTERS = 300;

/** The number of characters of a page that are read for a snippet: pages can have hundreds of kilobytes. */
const WINDOW_CHARACTERS = 8 * MAX_EXCERPT_CHARACTERS;
/** A snippet is cut between words if that loses less than this share of it; text without spaces is cut within a word. */
const MAX_CUT_SHARE = 0.2;

/** The entities of ISO 8859-1, in the order of their code points from 160 (HTML 4.01 §24.2.1, 1999). */
const LATIN_1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot
  cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute
  Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml
  aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute
  ucirc uuml yacute thorn yuml`;

const OTHERS = 'amp lt gt quot apos hellip ndash mdash lsquo rsquo sbquo ldquo rdquo bdquo bull trade euro rarr';

/** The named entities found in titles and snippets. Other entities stay unchanged. */
const NAMED_ENTITIES: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.split(/\s+/).map((name, index): [string, string] => [name, String.fromCodePoint(160 + index)]),
  ...OTHERS.split(/\s+/).map((name, index): [string, string] => [name, '&<>"\'…–—‘’‚“”„•™€→'.charAt(index)]),
]);

const NUMERIC_ENTITY = /^#(?:(\d{1,7})|[xX]([\dA-Fa-f]{1,6}))$/;

/** Replaces HTML entities by their characters, once: `&amp;lt;` becomes `&lt;`. Other text stays unchanged. */
export function decodeEntities(text: string): string {
  // The common case.
  if (!text.includes('&')) return text;
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) {
    const end = skip(text, at + 1, isOfEntity);
    const character = text.charCodeAt(end) === SEMICOLON ? characterOf(text.slice(at + 1, end)) : undefined;
    if (character === undefined) continue;
    parts.push(text.slice(from, at), character);
    from = end + 1;
  }
  return parts.join('') + text.slice(from);
}

function isOfEntity(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === HASH;
}

const SEMICOLON = 59;

function characterOf(entity: string): string | undefined {
  if (!entity.startsWith('#')) return NAMED_ENTITIES.get(entity);
  const [, decimal, hexadecimal] = NUMERIC_ENTITY.exec(entity) ?? [];
  const codePoint = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
  return isCharacter(codePoint) ? String.fromCodePoint(codePoint) : undefined;
}

/** Removes the tags with which search engines highlight the words of a query (`<b>`, `<strong>`, …). Other angle brackets are text. */
export function withoutHighlights(text: string): string {
  return text.replace(/<\/?(?:b|strong|em|i|mark)>/gi, '');
}

/** The text as a single line: entities decoded, white space and control characters collapsed to single spaces; empty if readers see nothing of it. */
export function plainText(text: string): string {
  const decoded = decodeEntities(text);
  if (!isVisible(decoded)) return '';
  // Most titles are clean, and testing is far cheaper than rewriting.
  return UNTIDY.test(decoded) ? tidied(decoded) : decoded;
}

/** White space other than single spaces between words, or a control character. */
const UNTIDY = /[^\S ]|\p{Cc}| {2}|^ | $/u;

/** A loop, because replacing matches of an expression takes ten times as long with many matches. A list of all words would take many times the text. */
function tidied(text: string): string {
  const line = new GatheredText();
  let separator = '';
  let start = 0;
  for (let index = 0; index <= text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (index < text.length && !isControl(code) && !isWhiteSpace(code)) continue;
    if (index > start) {
      line.add(separator + text.slice(start, index));
      separator = ' ';
    }
    start = index + 1;
  }
  return line.take();
}

/** The beginning of a text as a snippet: a single line of at most {@link MAX_EXCERPT_CHARACTERS}, cut between words if possible. */
export function snippetOf(text: string): string {
  const window = text.length > WINDOW_CHARACTERS ? text.slice(0, WINDOW_CHARACTERS).replace(/&[^;\s]{0,9}$/, '') : text;
  const line = plainText(window);
  if (window === text && !hasMoreCharacters(line, MAX_EXCERPT_CHARACTERS)) return line;
  const cut = firstCharacters(line, MAX_EXCERPT_CHARACTERS - 1);
  const lastSpace = line.lastIndexOf(' ', cut.length);
  const end = lastSpace > cut.length * (1 - MAX_CUT_SHARE) ? lastSpace : cut.length;
  return `${cut
    .slice(0, end)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}

function isCharacter(codePoint: number): boolean {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return !isControl(codePoint) && !isSurrogate && codePoint <= 0x10ffff;
}

function isControl(codePoint: number): boolean {
  return codePoint < SPACE || (codePoint >= 127 && codePoint < 160);
}

/** The address of a page as the URL standard writes it: http(s), with a host, without user name and password; `undefined` for any other value. */
export function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS) return undefined;
  const url = /^\s*https?:\/\/[^\s/\\?#]/i.test(value) ? parseUrl(value.trim()) : undefined;
  const isPlain = url !== undefined && url.username === '' && url.password === '';
  return isPlain && url.href.length <= MAX_URL_CHARACTERS ? url.href : undefined;
}

/** The title of a page on one line; without one, the host of its address. */
export function pageTitle(title: unknown, url: string): string {
  const line = plainText(boundText(title, MAX_TITLE_CHARACTERS));
  return line === '' ? boundText(new URL(url).hostname, MAX_TITLE_CHARACTERS) : line;
}

/** A block of code or a comment, up to its end or that of the text; or a heading of the first level. */
const CODE_OR_HEADING =
  /^ {0,3}(`{3,}(?!`)(?![^\r\n]*`)|~{3,})[^]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![^]))|^<(pre|script|style|textarea)\b[^]*?(?:<\/\2>|(?![^]))|^<!--[^]*?(?:-->|(?![^]))|^# (.+)/gim;

/** The first heading of the first level in a page as Markdown; `undefined` without one. A comment in a block of code is no heading. */
export function headingOf(markdown: string): string | undefined {
  for (const [, , , heading] of markdown.matchAll(CODE_OR_HEADING)) if (heading !== undefined) return heading;
  return undefined;
}

/** The beginning of a text, without white space around it; `''` for a text of which readers see nothing, and for any other value. */
export function boundText(text: unknown, most: number): string {
  const bound = typeof text === 'string' ? wellFormed(firstCharacters(text.trim(), most).trimEnd()) : '';
  return isVisible(bound) ? bound : '';
}

/** The earliest and the latest year of a date that is believed. */
const YEARS = { first: 1900, last: 2100 };

/**
 * The day of a date that a vendor gave, as `YYYY-MM-DD`; `null` where no certain day can be read: `3 days ago`, a year alone, a range of days, a date whose day
 * and month may be confused, and the days that stand for a missing date.
 */
export function dayOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_DATE_CHARACTERS) return null;
  const [, day, time] = DATE.exec(value.trim()) ?? [];
  if (day === undefined || !TIME.test(time ?? '')) return null;
  if (/^\d{4}-/.test(day)) return existing(day);
  // `Nov 2, 2026`, `2 November 2026`, `Mon, 02 Nov 2026 10:00:00 GMT`: the month is a word, so no order has to be known.
  const [word = '', date = '', year = ''] = [/[a-z]+/i, /\d+/, /\d{4}$/].map((part) => part.exec(day)?.[0]);
  const small = word.toLowerCase();
  const at = MONTHS.findIndex(
    (name) => small === name || small === name.slice(0, 3) || (small === 'sept' && name === 'september'),
  );
  return at === -1 ? null : existing(`${year}-${String(at + 1).padStart(2, '0')}-${date.padStart(2, '0')}`);
}

/** A whole text that names one day: perhaps its day of the week, the day, and more. */
const DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? )?(\d{4}-\d{2}-\d{2}|\d{1,2} [a-z]{3,9}\.?,? \d{4}|[a-z]{3,9}\.? \d{1,2},? \d{4})(?!\d)(.*)$/i;
/** Nothing, or a time of day with its zone. Any other words may be the end of a range. */
const TIME =
  /^(?:(?:t|,? (?:at )?)\d{1,2}(?::\d{2})*(?:[.,]\d+)?(?: ?(?:[a-z.]+(?![a-z.])|[+-]\d{2}:?\d{2}))*(?: ?\([^\d)]*\))?)?$/i;

const MAX_DATE_CHARACTERS = 64;
const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** The beginning of the time of computers, at Greenwich and west of it, and that of some databases. */
const MISSING = ['1970-01-01', '1969-12-31', '1900-01-01'];

/** `null` for days such as February 30, for years that no page has, and for days that stand for a missing date. */
function existing(day: string): string | null {
  const [year, month, date] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8))];
  const exists = month >= 1 && month <= 12 && date >= 1 && date <= lastDayOf(year, month);
  return exists && year >= YEARS.first && year <= YEARS.last && !MISSING.includes(day) ? day : null;
}

/** Arithmetic, because `Date` takes ten times as long. */
function lastDayOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}
