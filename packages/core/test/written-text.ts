import { positionWithin } from '../src/text/marker-forms.js';
import { type AnnotatedText, rewrite } from '../src/text/rewriter.js';

/** An annotated text with numbered citation markers at its marks. @param count number of sources. */
export function writtenText({ text, marks }: AnnotatedText, count = 999): string {
  return rewrite(text, { numbersAreWords: true, positionOf: positionWithin(count), count: () => count }, marks).text;
}
