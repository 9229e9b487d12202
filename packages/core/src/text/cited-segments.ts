import { type CitedPiece, joinCited } from './annotated-text.js';
import type { AnnotatedText } from './rewriter.js';

/**
 * Joins the text of a model that uses tools between segments of text. A segment before a use of a tool that cites nothing says what the model is
 * about to do ("Let me look that up."), not what it found. It is dropped, unless it is the only text.
 */
export function joinSegments(segments: readonly (readonly CitedPiece[])[]): AnnotatedText {
  const written = segments.filter((pieces) => pieces.some(({ text }) => text.trim() !== ''));
  const last = written.at(-1);
  const kept = written.filter((pieces) => pieces === last || pieces.some(({ positions }) => positions.length > 0));
  return joinCited(kept.flatMap((pieces, index) => (index === 0 ? pieces : [PARAGRAPH, ...pieces])));
}

const PARAGRAPH: CitedPiece = { text: '\n\n', positions: [] };
