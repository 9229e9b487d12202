/** The 36 countries that Brave, Valyu and You.com all offer for searches, as ISO 3166 codes. */
export const SEARCH_COUNTRIES: readonly string[] =
  'AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA'.split(
    ' ',
  );
