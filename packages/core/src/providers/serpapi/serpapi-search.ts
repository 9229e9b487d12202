import type { AskedSearch } from '../../base/search-options/asked-search.js';
import { COUNTRIES } from '../../base/search-options/codes.js';
import type { OptionSupport } from '../../base/search-options/option-support.js';
import { definedFields } from '../../provider-kit/defined-fields.js';

/** Countries that SerpApi does not know (its parameter files @11cbc469, 2026-07-16). */
const UNKNOWN_COUNTRIES = ['AX', 'BL', 'BQ', 'CW', 'MF', 'SS', 'SX'];
/** The languages that both SerpApi, by Google's codes, and ISO 639-1 name (the same files). AI Mode fails in those it does not answer in. */
const LANGUAGES: readonly string[] = (
  'af ak am ar az be bg bn br bs ca co cs cy da de ee el en eo es et eu fa fi fo fr fy ga gd gl gn gu ha he hi hr ht hu hy ia id ig is it ja ka ' +
  'kg kk kl km kn ko ku ky la lg ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no ny oc om or pa pl ps pt qu rm rn ro ru rw sd si sk sl sn so ' +
  'sq sr st su sv sw ta te tg th ti tk tl tn to tr tt tw ug uk ur uz vi wo xh yi yo zu'
).split(' ');

export const SERPAPI_OPTIONS = {
  country: { as: 'gl', values: [...COUNTRIES].filter((code) => !UNKNOWN_COUNTRIES.includes(code)) },
  language: { as: 'hl', values: LANGUAGES },
} as const satisfies OptionSupport;

export function serpapiSearch({ country, language }: AskedSearch): Record<string, string> {
  return definedFields({ gl: country?.toLowerCase(), hl: language }) as Record<string, string>;
}
