/**
 * Puts generated text between the two comments of its place in a document.
 *
 * @param name of the place: `<!-- models:start -->` and `<!-- models:end -->`.
 * @throws Error when the document does not have exactly one such place.
 */
export function withGenerated(markdown: string, name: string, generated: string): string {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const [before = '', ...others] = markdown.split(start);
  const [, after, ...more] = (others[0] ?? '').split(end);
  if (others.length !== 1 || after === undefined || more.length > 0)
    throw new Error(`expected one ${start} followed by one ${end}`);
  return `${before}${start}\n\n${generated}\n\n${end}${after}`;
}
