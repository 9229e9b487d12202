import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Where a search can be made (Valyu's JavaScript SDK 643683a, 2026-04-22). */
export const VALYU_COUNTRIES: readonly string[] =
  'AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA'.split(
    ' ',
  );

/** Of `/v1/answer` (OpenAPI document 2.2.0, read 2026-11-20). */
export const VALYU_OPTIONS = {
  includeDomains: { as: 'included_sources' },
  excludeDomains: { as: 'excluded_sources' },
  freshness: { as: 'start_date' },
  publishedAfter: { as: 'start_date' },
  publishedBefore: { as: 'end_date' },
  country: { as: 'country_code', values: VALYU_COUNTRIES },
} as const satisfies OptionSupport;

export function valyuSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore, country } = search;
  return definedFields({
    included_sources: includeDomains,
    excluded_sources: excludeDomains,
    start_date: firstDay(search),
    end_date: publishedBefore,
    country_code: country,
  });
}
