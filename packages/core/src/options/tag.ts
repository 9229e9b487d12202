/** Longest tag, in UTF-16 code units. */
export const MAX_TAG_CHARACTERS = 64;

/** What a tag has to be, for errors. */
export const TAG = `1 to ${MAX_TAG_CHARACTERS} printable characters, without spaces at either end`;

/**
 * No characters of the classes "other" (control, format, unassigned, halves of pairs), no separators of lines and paragraphs, and no white space at either
 * end. As JSON Schema says it.
 */
export const TAG_PATTERN = String.raw`^(?!\s)[^\p{C}\p{Zl}\p{Zp}]+(?<!\s)$`;
const PRINTABLE = new RegExp(TAG_PATTERN, 'u');

/** Whether it may be a caller's own word for what its calls are for. */
export function isTag(text: string): boolean {
  return text.length >= 1 && text.length <= MAX_TAG_CHARACTERS && PRINTABLE.test(text);
}
