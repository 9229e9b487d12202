import type { FieldIssue } from '../base/errors/error-details.js';
import { invalidFields } from './fields.js';

type JsonBody = Readonly<Record<string, unknown>>;

/**
 * Takes the filters of Perplexity's `POST /search` (`@perplexity-ai/perplexity_ai` 0.38.5, read 2026-11-26), which its client, LiteLLM and Open WebUI send,
 * as `search`. Other bodies come back unchanged.
 *
 * @throws RequestError `invalid_field` for a value that has no equal here.
 */
export function withPerplexityFilters(body: JsonBody): JsonBody {
  const given = Object.entries(PERPLEXITY_FILTERS).filter(
    ([name]) => Object.hasOwn(body, name) && (body[name] ?? null) !== null,
  );
  if (given.length === 0) return body;
  const issues: FieldIssue[] = [];
  const own = body['search'] ?? {};
  // Refused by the reader of `search`, which says why.
  if (typeof own !== 'object' || Array.isArray(own)) return body;
  const search: Record<string, unknown> = { ...own };
  for (const [name, read] of given) {
    const translated = read(body[name]);
    if (typeof translated === 'string') issues.push({ path: name, message: translated });
    else if (Object.keys(translated).some((option) => (search[option] ?? null) !== null))
      issues.push({ path: name, message: 'repeats a filter of this request' });
    else Object.assign(search, translated);
  }
  if (issues.length > 0) throw invalidFields(issues);
  const others = Object.entries(body).filter(([name]) => !Object.hasOwn(PERPLEXITY_FILTERS, name));
  return { ...Object.fromEntries(others), search };
}

/** The options of `search` that a filter means; or what is wrong with it, which begins with "must". */
type ReadFilter = (value: unknown) => Readonly<Record<string, unknown>> | string;

export const PERPLEXITY_FILTERS: Readonly<Record<string, ReadFilter>> = {
  search_domain_filter: readDomains,
  search_recency_filter: (value) =>
    value === 'day' || value === 'week' || value === 'month' || value === 'year'
      ? { freshness: value }
      : 'must be "day", "week", "month" or "year"',
  search_after_date_filter: (value) => readDate(value, 'published_after'),
  search_before_date_filter: (value) => readDate(value, 'published_before'),
  country: (value) => ({ country: value }),
};

/** All allowed, or all refused with a leading dash. */
function readDomains(value: unknown): Readonly<Record<string, unknown>> | string {
  const domains: readonly unknown[] = Array.isArray(value) ? value : [];
  const refused = domains.filter((domain) => typeof domain === 'string' && domain.startsWith('-')) as string[];
  if (domains.length === 0) return 'must be an array of host names';
  if (refused.length === 0) return { include_domains: domains };
  if (refused.length < domains.length)
    return 'must have only allowed host names, or only refused ones such as "-example.org"';
  return { exclude_domains: refused.map((domain) => domain.slice(1)) };
}

/** `MM/DD/YYYY` as Perplexity has it, or an ISO date. */
function readDate(value: unknown, option: string): Readonly<Record<string, unknown>> | string {
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(typeof value === 'string' ? value : '') ?? [];
  if (month === undefined || day === undefined) return { [option]: value };
  return { [option]: `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` };
}
