import { MAX_DOMAIN_CHARACTERS, readDomain } from '../domain-names.js';
import type { FieldIssue } from '../errors/error-details.js';
import { createOptionsReader, type OptionReader, type ReplacementOf } from '../options/read-request-options.js';
import { COUNTRIES, LANGUAGES } from './codes.js';
import { FRESHNESS, type SearchOption, type SearchOptions } from './search-options.js';

/** Most domains of a list that callers send. */
export const MAX_DOMAINS = 20;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

const hostNames = (description: string): OptionReader => ({
  read: readDomains,
  expected: `an array of 1 to ${MAX_DOMAINS} host names such as "example.org"`,
  schema: {
    description,
    type: 'array',
    // No address, path, port, wildcard or mailbox. International names may have dots of their own.
    items: { type: 'string', minLength: 1, maxLength: MAX_DOMAIN_CHARACTERS, pattern: String.raw`^[^\s/:*%@?#]+$` },
    minItems: 1,
    maxItems: MAX_DOMAINS,
  },
});
const day = (description: string): OptionReader => ({
  read: readDate,
  expected: 'a date such as "2026-11-22"',
  schema: { description, type: 'string', format: 'date' },
});
const CODE = { type: 'string', pattern: '^[A-Za-z]{2}$' };

export const SEARCH_READERS: Readonly<Record<SearchOption, OptionReader>> = {
  includeDomains: hostNames('Only pages of these hosts and of those below them.'),
  excludeDomains: hostNames('No pages of these hosts nor of those below them.'),
  freshness: {
    read: (value) => FRESHNESS.find((known) => known === value),
    expected: 'one of "day", "week", "month" and "year"',
    schema: { description: 'Published within the last day, week, month or year.', type: 'string', enum: FRESHNESS },
  },
  publishedAfter: day('The first day that counts.'),
  publishedBefore: day('The last day that counts; not before `published_after`.'),
  country: {
    read: (value) => (isCode(value) ? among(COUNTRIES, value.toUpperCase()) : undefined),
    expected: 'a country code of ISO 3166-1 such as "DE"',
    schema: {
      description: 'Searches as if from this country: a code of ISO 3166-1 alpha-2 such as "DE".',
      ...CODE,
    },
  },
  language: {
    read: (value) => (isCode(value) ? among(LANGUAGES, value.toLowerCase()) : undefined),
    expected: 'a language code of ISO 639-1 such as "de"',
    schema: { description: 'Language of the pages: a code of ISO 639-1 such as "de".', ...CODE },
  },
  topic: {
    read: (value) => (value === 'news' ? value : undefined),
    expected: '"news"',
    schema: { description: 'Only news.', type: 'string', enum: ['news'] },
  },
};

/**
 * Builds the check of a call's search options.
 *
 * @param nameOf returns the transport's name of an option.
 * @param replacementOf returns the field that an unknown name means.
 */
export function createSearchReader(nameOf: (option: string) => string, replacementOf?: ReplacementOf) {
  return createOptionsReader<SearchOptions>({
    field: 'search',
    noun: 'search option',
    readers: SEARCH_READERS,
    nameOf,
    replacementOf,
    contradictions,
  });
}

function contradictions(search: SearchOptions, pathOf: (option: SearchOption) => string): FieldIssue[] {
  const { publishedAfter = '', publishedBefore = publishedAfter } = search;
  const issues: FieldIssue[] = [];
  for (const [first, second] of EXCLUSIVE_OPTIONS) {
    if (search[first] === undefined || search[second] === undefined) continue;
    issues.push({ path: pathOf(second), message: `must not be given together with ${pathOf(first)}` });
  }
  if (publishedAfter > publishedBefore)
    issues.push({ path: pathOf('publishedBefore'), message: `must not be before ${pathOf('publishedAfter')}` });
  return issues;
}

/** Options that must not be given together. */
export const EXCLUSIVE_OPTIONS: readonly (readonly [SearchOption, SearchOption])[] = [
  ['includeDomains', 'excludeDomains'],
  ['freshness', 'publishedAfter'],
  ['freshness', 'publishedBefore'],
];

function readDomains(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DOMAINS) return undefined;
  const domains = value.map(readDomain).filter((domain) => domain !== undefined);
  return domains.length === value.length ? [...new Set(domains)].sort() : undefined;
}

function readDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  const time = new Date(`${value}T00:00:00Z`);
  // An invalid day such as February 30 is either no date or a date of the next month.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value) ? value : undefined;
}

/** Only ASCII letters: some other letters have the same capital letters. */
function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z]+$/i.test(value);
}

function among(codes: ReadonlySet<string>, code: string): string | undefined {
  return codes.has(code) ? code : undefined;
}
