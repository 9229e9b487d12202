import type { Expectation } from './questions.js';

/** The parts of a reply that are compared. */
export interface Reply {
  /** The answer; the titles and snippets of a search; the pages of an extract; the first document of a rerank. */
  readonly text?: string | undefined;
  /** The cited or found addresses, in their order. */
  readonly urls?: readonly string[] | undefined;
  /** The index of the first document of a rerank. */
  readonly first?: number | undefined;
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const NUMBER =
  /(?<![\p{L}\p{N}.])([-−]?)(\d{1,3}(?:[,' ]\d{3})+(?!\d)|\d+)(\.\d+)?(?:\s*(thousand|million|billion|trillion)\b)?/gu;
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 };

/** Whether every check holds. Case, accents and white space make no difference; words count as wholes. */
export function isRight(expect: Expectation, { text = '', urls = [], first }: Reply): boolean {
  const read = plain(text);
  const has = (words: string) => hasWords(read, plain(words));
  const { contains = [], any_of: anyOf = contains, not = [], number, url_host: hosts } = expect;
  return (
    contains.every(has) &&
    (anyOf.length === 0 || anyOf.some(has)) &&
    !not.some(has) &&
    (number === undefined || numbersIn(read).some((each) => Math.abs(each - number.value) <= number.within)) &&
    (hosts === undefined || hosts.some((host) => rankOf(host, urls) > 0)) &&
    (expect.first === undefined || expect.first === first)
  );
}

/** The place of the first address of a host or of its subdomains, from 1 on; 0 for none. */
export function rankOf(host: string, urls: readonly string[]): number {
  const wanted = `.${host.toLowerCase().replace(/^www\./, '')}`;
  return urls.findIndex((url) => `.${hostOf(url)}`.endsWith(wanted)) + 1;
}

/** Without `www.`; an unreadable address stands for itself. */
export function hostOf(url: string): string {
  return (URL.canParse(url) ? new URL(url).hostname : url).replace(/^www\./, '');
}

/** How much of two lists is in both: 0 to 1. @returns `undefined` if both are empty. */
export function jaccard(one: readonly string[], other: readonly string[]): number | undefined {
  const all = new Set([...one, ...other]).size;
  return all === 0 ? undefined : (new Set(one).size + new Set(other).size - all) / all;
}

/** Without citation markers, whose numbers are no figures. */
function plain(text: string): string {
  const letters = text
    .replace(/\[\d+\]/g, ' ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
  return letters.toLowerCase().replace(/\s+/g, ' ').trim();
}

function hasWords(text: string, words: string): boolean {
  if (words === '' || UNSPACED.test(words)) return text.includes(words);
  const isOutside = (character = ' ') => !/[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (isOutside(text[at - 1]) && isOutside(text[at + words.length])) return true;
  return false;
}

function numbersIn(text: string): number[] {
  return Array.from(text.matchAll(NUMBER), ([, sign = '', whole = '', part = '', scale = '']) => {
    const value = Number(whole.replace(/\D/g, '') + part) * (SCALES[scale] ?? 1);
    return sign === '' ? value : -value;
  });
}
