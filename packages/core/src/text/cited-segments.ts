import { isVisible } from '../base/options/characters.js';
import { type CitedPiece, joinCited } from './annotated-text.js';
import type { AnnotatedText } from './rewriter.js';

/**
 * Joins the segments of a text that a model wrote between uses of tools. A segment before a tool without citations announces the model's next step ("Let me
 * look that up.") and no result. Such a segment is dropped, unless it is the only text.
 */
export function joinSegments(segments: readonly (readonly CitedPiece[])[]): AnnotatedText {
  const written = segments.filter((pieces) => pieces.some(({ text }) => isVisible(text)));
  const last = written.at(-1);
  const kept = written.filter((pieces) => pieces === last || pieces.some(({ positions }) => positions.length > 0));
  return joinCited(kept.flatMap((pieces, index) => (index === 0 ? pieces : [PARAGRAPH, ...pieces])));
}

const PARAGRAPH: CitedPiece = { text: '\n\n', positions: [] };
