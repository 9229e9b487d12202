import { type AskedSearch, firstDay } from '../../base/search-options/asked-search.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Of `/search` at every depth (docs.linkup.so, read 2026-11-22), with no field for a country or language. */
export const LINKUP_OPTIONS = {
  includeDomains: { as: 'includeDomains' },
  excludeDomains: { as: 'excludeDomains' },
  freshness: { as: 'fromDate' },
  publishedAfter: { as: 'fromDate' },
  publishedBefore: { as: 'toDate' },
} as const satisfies OptionSupport;

export function linkupSearch(search: AskedSearch): object {
  const { includeDomains, excludeDomains, publishedBefore } = search;
  return definedFields({ includeDomains, excludeDomains, fromDate: firstDay(search), toDate: publishedBefore });
}
