import { hasMoreCharacters } from './characters.js';

/** Longest tag, in characters: Unicode code points. */
export const MAX_TAG_CHARACTERS = 64;

/** The expected form of a tag, for errors. */
export const TAG = `1 to ${MAX_TAG_CHARACTERS} letters, marks, numbers, punctuation, symbols, spaces and joiners, with no space or joiner at either end`;

/** A printed character. Excludes fillers, which count as letters but show nothing. */
const SHOWN = String.raw`(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u200c\u200d]`;
/** A flag such as Scotland's, which is spelled with tag characters. */
const FLAG = String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}`;

/**
 * Printed characters, the two joiners (U+200C, U+200D) of scripts and emoji, and flags of regions. No control characters, unassigned characters or line
 * separators.
 */
const PRINTABLE = new RegExp(String.raw`^(?![\s\u200c\u200d])(?:${FLAG}|${SHOWN})+(?<![\s\u200c\u200d])$`, 'u');

/** Controls and fillers. */
const NOWHERE = '\\x00-\\x1f\\x7f-\\x9f\u115f\u1160\u3164\uffa0';
/** Spaces, joiners, and the tag characters of a flag that has no end. */
const AT_NO_END = `\\s\u200c\u200d\u{e0020}-\u{e007e}${NOWHERE}`;
/** The pattern of JSON Schema, as far as Python and RE2 can read patterns: without classes of Unicode and without lookaround. Every valid tag matches. */
export const TAG_PATTERN = `^[^${AT_NO_END}](?:[^${NOWHERE}]*[^${AT_NO_END}])?$`;

/** Whether a text is a valid tag of a call. */
export function isTag(text: string): boolean {
  return !hasMoreCharacters(text, MAX_TAG_CHARACTERS) && PRINTABLE.test(text);
}
