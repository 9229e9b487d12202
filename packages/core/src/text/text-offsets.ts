/** What a provider counts in when it says where in a text something stands. */
export type OffsetUnit = 'utf16' | 'utf8' | 'code_points';

/**
 * Each offset in UTF-16 units, in one walk over the text; one inside of a character becomes the character's end, one beyond the text its end. Offsets that
 * are negative or no whole number are left out.
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
      counted += sizeOf(codePoint, unit);
      end += codePoint > 0xffff ? 2 : 1;
    }
    found.set(offset, end);
  }
  return found;
}

/** In the middle of a surrogate pair: its end. */
function characterEnd(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset + 1 : offset;
}

function sizeOf(codePoint: number, unit: 'utf8' | 'code_points'): number {
  if (unit === 'code_points') return 1;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}
