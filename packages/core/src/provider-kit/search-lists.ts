/**
 * The 51 languages of pages that Brave and You.com each take, by their tags (You.com's TypeScript SDK 343eaad of 2026-03-03; a public client of Brave's API,
 * read 2026-11-26). You.com writes them in capital letters. Its page counted 46 on 2026-11-20: the services may refuse a few (medium confidence).
 */
export const SEARCH_LANGUAGES: readonly string[] =
  'ar bg bn ca cs da de el en en-gb es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa pl pt-br pt-pt ro ru sk sl sr sv ta te th tr uk vi zh-hans zh-hant'.split(
    ' ',
  );

/** The tags by ISO 639-1 code: the codes themselves, except Japanese. Chinese and Portuguese are left out, because their tags are narrower. */
export const SEARCH_LANGUAGE_TAGS: ReadonlyMap<string, string> = new Map(
  SEARCH_LANGUAGES.filter((tag) => tag.length === 2).map((tag) => [tag === 'jp' ? 'ja' : tag, tag]),
);

/** The 36 countries that Brave, Valyu and You.com all offer for searches, as ISO 3166 codes. */
export const SEARCH_COUNTRIES: readonly string[] =
  'AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA'.split(
    ' ',
  );
