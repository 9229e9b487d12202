import type { Expectation } from './questions.js';

/** The parts of a reply that are compared. */
export interface Reply {
  /** The answer; the titles and snippets of a search; the pages of an extract; the first document of a rerank. */
  readonly text: string;
  /** The cited or found addresses, in their order. */
  readonly urls: readonly string[];
  /** The index of the first document of a rerank. */
  readonly first?: number | undefined;
  /** Of an answer whose sentences the gateway has checked: the share of supported ones. */
  readonly supported?: number | undefined;
}

/** Scripts without spaces between words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const NUMBER =
  /(?<![\p{L}\p{N}.])([-−]?)(\d{1,3}(?:[,' ]\d{3})+|\d+)(\.\d+)?(?:\s*(thousand|million|billion|trillion)\b)?/gu;
const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9, trillion: 1e12 };

/** Whether every check holds. Case, accents and white space make no difference; words count as wholes. */
export function isRight(expect: Expectation, { text, urls, first }: Reply): boolean {
  const read = plain(text);
  const has = (words: string) => hasWords(read, plain(words));
  const { contains = [], any_of: anyOf, not = [], number, url_host: hosts } = expect;
  if (!contains.every(has) || not.some(has) || (anyOf !== undefined && !anyOf.some(has))) return false;
  if (number !== undefined && !numbersIn(read).some((each) => Math.abs(each - number.value) <= number.within))
    return false;
  if (hosts !== undefined && !hosts.some((host) => rankOf(host, urls) > 0)) return false;
  return expect.first === undefined || expect.first === first;
}

/** The place of the first address of a host or of its subdomains, from 1 on; 0 for none. */
export function rankOf(host: string, urls: readonly string[]): number {
  const wanted = host.toLowerCase();
  return urls.findIndex((url) => hostOf(url) === wanted || hostOf(url).endsWith(`.${wanted}`)) + 1;
}

/** Without `www.`; an unreadable address stands for itself. */
export function hostOf(url: string): string {
  return (URL.canParse(url) ? new URL(url).hostname : url).replace(/^www\./, '');
}

/** How much of two lists is in both: 0 to 1. @returns `undefined` if both are empty. */
export function jaccard(one: readonly string[], other: readonly string[]): number | undefined {
  const [ones, others, all] = [new Set(one), new Set(other), new Set([...one, ...other])];
  return all.size === 0 ? undefined : (ones.size + others.size - all.size) / all.size;
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
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (UNSPACED.test(words)) return true;
    if (!isWord(text[at - 1]) && !isWord(text[at + words.length])) return true;
  }
  return false;
}

function numbersIn(text: string): number[] {
  return Array.from(text.matchAll(NUMBER), ([, sign = '', whole = '', part = '', scale = '']) => {
    const value = Number(whole.replace(/\D/g, '') + part) * (SCALES[scale] ?? 1);
    return sign === '' ? value : -value;
  });
}
