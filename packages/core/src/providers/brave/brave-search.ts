import type { OptionSupport } from '../../base/search-options/option-support.js';

/** The countries of Brave's own client of its search API (npm @brave/n8n-nodes-brave-search 1.0.25, read 2026-11-22); answers name no list. */
const COUNTRIES: readonly string[] =
  'AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA'.split(
    ' ',
  );

/** `language` is left out: by Brave's own client (2026-11) it is the language of the answer, not of the search. */
export const BRAVE_OPTIONS = { country: { as: 'country', values: COUNTRIES } } as const satisfies OptionSupport;
