/** Whether a text has more than `most` characters. Characters are Unicode code points, as JSON Schema and vendors' servers count them. */
export function hasMoreCharacters(text: string, most: number): boolean {
  // A text has at most as many characters as UTF-16 units, and at least half as many.
  if (text.length <= most) return false;
  return text.length > 2 * most || Array.from(text).length > most;
}
