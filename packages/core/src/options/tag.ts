import { hasMoreCharacters } from './has-more-characters.js';

/** Longest tag, in characters: Unicode code points. */
export const MAX_TAG_CHARACTERS = 64;

/** What a tag has to be, for errors. */
export const TAG = `1 to ${MAX_TAG_CHARACTERS} letters, marks, numbers, punctuation, symbols, spaces and joiners, with no space or joiner at either end`;

/**
 * The classes of characters that are printed, and the two joiners (U+200C, U+200D) that scripts and emoji are written with. None is for control, is
 * unassigned, or separates lines. As JSON Schema says it.
 */
export const TAG_PATTERN = String.raw`^(?![\s\u200c\u200d])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u200c\u200d]+(?<![\s\u200c\u200d])$`;
const PRINTABLE = new RegExp(TAG_PATTERN, 'u');

/** Whether it may be a caller's own word for what its calls are for. */
export function isTag(text: string): boolean {
  return !hasMoreCharacters(text, MAX_TAG_CHARACTERS) && PRINTABLE.test(text);
}
