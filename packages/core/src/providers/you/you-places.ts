/** The countries a search can be made from (You.com's TypeScript SDK 343eaad, 2026-03-03). */
export const YOU_COUNTRIES: readonly string[] =
  'AR AT AU BE BR CA CH CL CN DE DK ES FI FR GB HK ID IN IT JP KR MX MY NL NO NZ PH PL PT RU SA SE TR TW US ZA'.split(
    ' ',
  );

/**
 * The languages of pages, by You.com's tags (the same SDK). You.com's page counted 46 of them on 2026-11-20, the SDK has 51: the service may refuse a few
 * (medium confidence).
 */
export const YOU_LANGUAGES: readonly string[] =
  'AR BG BN CA CS DA DE EL EN EN-GB ES ET EU FI FR GL GU HE HI HR HU IS IT JP KN KO LT LV ML MR MS NB NL PA PL PT-BR PT-PT RO RU SK SL SR SV TA TE TH TR UK VI ZH-HANS ZH-HANT'.split(
    ' ',
  );
