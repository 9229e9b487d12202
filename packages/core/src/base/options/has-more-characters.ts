/** Whether a text has more than `most` characters. Characters are Unicode code points, as JSON Schema and vendors' servers count them. */
export function hasMoreCharacters(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || endOfCharacters(text, most) < text.length);
}

/** The first `most` characters of a text, never half of one. Copied if cut: a slice would keep the whole text in memory. */
export function firstCharacters(text: string, most: number): string {
  const end = endOfCharacters(text, most);
  return end === text.length ? text : Buffer.from(text.slice(0, end), 'utf16le').toString('utf16le');
}

/** The index behind the first `most` characters. A text has at most as many characters as UTF-16 units, and at least half as many. */
function endOfCharacters(text: string, most: number): number {
  if (text.length <= most) return text.length;
  let end = 0;
  for (let count = 0; count < most && end < text.length; count += 1)
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return end;
}
