import { hasMoreCharacters } from './has-more-characters.js';

/** Longest tag, in characters: Unicode code points. */
export const MAX_TAG_CHARACTERS = 64;

/** What a tag has to be, for errors. */
export const TAG = `1 to ${MAX_TAG_CHARACTERS} letters, marks, numbers, punctuation, symbols, spaces and joiners, with no space or joiner at either end`;

/** One that is printed. Fillers count as letters, and show nothing. */
const SHOWN = String.raw`(?![\u115f\u1160\u3164\uffa0])[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\u200c\u200d]`;
/** A flag such as Scotland's: its letters are tags, which are no characters by themselves. */
const FLAG = String.raw`\u{1f3f4}[\u{e0020}-\u{e007e}]+\u{e007f}`;

/**
 * The classes of characters that are printed, the two joiners (U+200C, U+200D) that scripts and emoji are written with, and flags of regions. None is for
 * control, is unassigned, or separates lines. As JSON Schema says it.
 */
export const TAG_PATTERN = String.raw`^(?![\s\u200c\u200d])(?:${FLAG}|${SHOWN})+(?<![\s\u200c\u200d])$`;
const PRINTABLE = new RegExp(TAG_PATTERN, 'u');

/** Whether it may be a caller's own word for what its calls are for. */
export function isTag(text: string): boolean {
  return !hasMoreCharacters(text, MAX_TAG_CHARACTERS) && PRINTABLE.test(text);
}
