/** Whether a text has more characters than so many. Characters are Unicode code points, as people, JSON Schema and vendors' servers count them. */
export function hasMoreCharacters(text: string, most: number): boolean {
  // A text has never more characters than UTF-16 units, and at least half as many.
  if (text.length <= most) return false;
  return text.length > 2 * most || Array.from(text).length > most;
}
