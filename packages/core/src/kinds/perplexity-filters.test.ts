import { describe, expect, it } from 'vitest';
import { withPerplexityFilters } from './perplexity-filters.js';

const query = 'Zephyr Bridge';

describe("Perplexity's filters", () => {
  it('leave other bodies as they are', () => {
    const body = { query, search: { freshness: 'day' }, country: null };
    expect(withPerplexityFilters(body)).toBe(body);
  });

  it.each([
    [{ search_domain_filter: ['a.org', 'b.org'] }, { include_domains: ['a.org', 'b.org'] }],
    [{ search_domain_filter: ['-a.org', '-b.org'] }, { exclude_domains: ['a.org', 'b.org'] }],
    [{ search_recency_filter: 'week' }, { freshness: 'week' }],
    [{ search_after_date_filter: '3/1/2026' }, { published_after: '2026-03-01' }],
    [{ search_before_date_filter: '12/31/2026' }, { published_before: '2026-12-31' }],
    [{ search_after_date_filter: '2026-03-01' }, { published_after: '2026-03-01' }],
    [{ country: 'DE' }, { country: 'DE' }],
  ])('%j are %j', (filter, search) => {
    expect(withPerplexityFilters({ query, ...filter })).toEqual({ query, search });
  });

  it('join the options of search', () => {
    const body = { query, country: 'US', search: { language: 'en' } };
    expect(withPerplexityFilters(body)).toEqual({ query, search: { language: 'en', country: 'US' } });
  });

  it('leave a wrong search to its reader, and take an option that is null for none', () => {
    const wrong = { query, search: 'strict', country: 'DE' };
    expect(withPerplexityFilters(wrong)).toBe(wrong);
    const body = { query, search: { freshness: null }, search_recency_filter: 'week' };
    expect(withPerplexityFilters(body)).toEqual({ query, search: { freshness: 'week' } });
  });

  it.each([
    [{ search_domain_filter: ['a.org', '-b.org'] }, 'search_domain_filter'],
    [{ search_domain_filter: 'a.org' }, 'search_domain_filter'],
    [{ search_recency_filter: 'hour' }, 'search_recency_filter'],
    [{ country: 'US', search: { country: 'DE' } }, 'country'],
  ])('refuse %j', (filter, param) => {
    expect(() => withPerplexityFilters({ query, ...filter })).toThrow(
      expect.objectContaining({ reason: 'invalid_field', param }),
    );
  });
});
