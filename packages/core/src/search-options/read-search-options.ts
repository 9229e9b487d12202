import type { FieldIssue } from '../errors/error-details.js';
import { COUNTRIES, LANGUAGES } from './codes.js';
import { readDomain } from './read-domain.js';
import { FRESHNESS, SEARCH_OPTIONS, type SearchOption, type SearchOptions } from './search-options.js';

/** What was read: the options, or what is wrong with them. */
export interface ReadSearch {
  /** `undefined` when nothing is asked, and when something is wrong. */
  readonly search: SearchOptions | undefined;
  readonly issues: readonly FieldIssue[];
}

const NOTHING: ReadSearch = { search: undefined, issues: [] };
const MAX_DOMAINS = 20;
/** Of the name of an unknown option, as much as the caller gets back. */
const MAX_NAME_LENGTH = 64;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

interface Reader {
  /** @returns the value in its one spelling; `undefined` for a wrong one. */
  read(value: unknown): string | string[] | undefined;
  readonly expected: string;
}

const DOMAINS: Reader = {
  read: readDomains,
  expected: `an array of 1 to ${MAX_DOMAINS} host names such as "example.org"`,
};
const DAY: Reader = { read: readDate, expected: 'a date such as "2026-11-22"' };

const READERS: Readonly<Record<SearchOption, Reader>> = {
  includeDomains: DOMAINS,
  excludeDomains: DOMAINS,
  freshness: {
    read: (value) => FRESHNESS.find((known) => known === value),
    expected: 'one of "day", "week", "month" and "year"',
  },
  publishedAfter: DAY,
  publishedBefore: DAY,
  country: {
    read: (value) => (isCode(value) ? among(COUNTRIES, value.toUpperCase()) : undefined),
    expected: 'a country code of ISO 3166-1 such as "DE"',
  },
  language: {
    read: (value) => (isCode(value) ? among(LANGUAGES, value.toLowerCase()) : undefined),
    expected: 'a language code of ISO 639-1 such as "de"',
  },
};

/**
 * Builds the check of a question's search options.
 *
 * @param nameOf what the transport calls an option.
 */
export function createSearchReader(nameOf: (option: string) => string): (given: unknown) => ReadSearch {
  const options = new Map<string, SearchOption>(SEARCH_OPTIONS.map((option) => [nameOf(option), option]));
  const pathOf = (option: string) => `search.${nameOf(option)}`;

  return (given) => {
    if (given === undefined || given === null) return NOTHING;
    if (typeof given !== 'object' || Array.isArray(given))
      return wrong('search', 'must be an object of search options');
    const known = Object.entries(given).filter(([, value]) => value !== undefined);
    const stranger = known.find(([name]) => !options.has(name));
    if (stranger !== undefined) return wrong(`search.${stranger[0].slice(0, MAX_NAME_LENGTH)}`, 'is no search option');
    return readAll(new Map(known.map(([name, value]) => [options.get(name), value])), pathOf);
  };
}

/** In the order of the options, whatever the caller's was: what is asked for twice is equal twice. */
function readAll(given: ReadonlyMap<unknown, unknown>, pathOf: (option: SearchOption) => string): ReadSearch {
  const issues: FieldIssue[] = [];
  const search: Partial<Record<SearchOption, string | string[]>> = {};
  for (const option of SEARCH_OPTIONS) {
    if (!given.has(option)) continue;
    const { read, expected } = READERS[option];
    const value = read(given.get(option));
    if (value === undefined) issues.push({ path: pathOf(option), message: `must be ${expected}` });
    else search[option] = value;
  }
  if (issues.length === 0) issues.push(...contradictions(search as SearchOptions, pathOf));
  if (issues.length > 0 || Object.keys(search).length === 0) return { search: undefined, issues };
  return { search: search as SearchOptions, issues };
}

function contradictions(search: SearchOptions, pathOf: (option: SearchOption) => string): FieldIssue[] {
  const { publishedAfter, publishedBefore } = search;
  const issues: FieldIssue[] = [];
  for (const [one, other] of EXCLUSIVE) {
    if (search[one] === undefined || search[other] === undefined) continue;
    issues.push({ path: pathOf(other), message: `must not be given together with ${pathOf(one)}` });
  }
  if (publishedAfter !== undefined && publishedBefore !== undefined && publishedAfter > publishedBefore)
    issues.push({ path: pathOf('publishedBefore'), message: `must not be before ${pathOf('publishedAfter')}` });
  return issues;
}

const EXCLUSIVE: readonly (readonly [SearchOption, SearchOption])[] = [
  ['includeDomains', 'excludeDomains'],
  ['freshness', 'publishedAfter'],
  ['freshness', 'publishedBefore'],
];

function wrong(path: string, message: string): ReadSearch {
  return { search: undefined, issues: [{ path, message }] };
}

function readDomains(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DOMAINS) return undefined;
  const domains = value.map(readDomain).filter((domain) => domain !== undefined);
  return domains.length === value.length ? [...new Set(domains)].sort() : undefined;
}

function readDate(value: unknown): string | undefined {
  if (typeof value !== 'string' || !DATE.test(value)) return undefined;
  const time = new Date(`${value}T00:00:00Z`);
  // A day that its month does not have is either no date or one of the next month.
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(value) ? value : undefined;
}

function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z]{2}$/i.test(value);
}

function among(codes: ReadonlySet<string>, code: string): string | undefined {
  return codes.has(code) ? code : undefined;
}
