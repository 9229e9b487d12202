import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Fields of both endpoints. */
export function exaSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore, country } = search;
  const first = firstDay(search);
  return definedFields({
    includeDomains: includeDomains && withSubdomains(includeDomains),
    excludeDomains: excludeDomains && withSubdomains(excludeDomains),
    startPublishedDate: first && `${first}T00:00:00.000Z`,
    endPublishedDate: publishedBefore && `${publishedBefore}T23:59:59.999Z`,
    userLocation: country,
  });
}

/** Exa includes subdomains only if a pattern asks for them (exa.ai/docs/changelog/domain-path-filter, 2025-08-04). */
function withSubdomains(domains: readonly string[]): string[] {
  return domains.flatMap((domain) => [domain, `*.${domain}`]);
}
