import { positionWithin } from '../src/text/marker-numbers.js';
import { type AnnotatedText, rewrite } from '../src/text/rewriter.js';

/** An annotated text with markers where its marks are, by the numbers of these. @param count of the sources. */
export function writtenText({ text, marks }: AnnotatedText, count = 999): string {
  return rewrite(text, { numbersAreWords: true, positionOf: positionWithin(count), count: () => count }, marks).text;
}
