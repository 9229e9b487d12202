/** The unit of a provider's offsets. */
export type OffsetUnit = 'utf16' | 'utf8';

/**
 * Converts offsets to UTF-16 code units, in a single pass over the text. An offset inside of a character becomes the end of the character, an offset beyond the
 * text the end of the text. Negative offsets and offsets that are no whole numbers are left out.
 */
export function utf16Offsets(text: string, offsets: readonly number[], unit: OffsetUnit): Map<number, number> {
  const wanted = [...new Set(offsets.filter((offset) => Number.isInteger(offset) && offset >= 0))];
  if (unit === 'utf16') return new Map(wanted.map((offset) => [offset, characterEnd(text, offset)]));
  wanted.sort((a, b) => a - b);
  const found = new Map<number, number>();
  let counted = 0;
  let end = 0;
  for (const offset of wanted) {
    while (counted < offset && end < text.length) {
      const codePoint = text.codePointAt(end) ?? 0;
      counted += bytesOf(codePoint);
      end += codePoint > 0xffff ? 2 : 1;
    }
    found.set(offset, end);
  }
  return found;
}

/** The offset, or the end of the surrogate pair around it. */
function characterEnd(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset + 1 : offset;
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}
