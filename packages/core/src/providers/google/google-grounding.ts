import { z } from 'zod';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import { annotate } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';

/** A part of a candidate's content. Thoughts and parts without text count in the numbering of parts. */
export const contentPart = optional.object({ text: optional.text, thought: z.unknown().optional() });

const segment = z.object({
  partIndex: optional.number,
  /** In bytes of UTF-8 within the part; absent for 0. */
  startIndex: optional.number,
  /** Exclusive. */
  endIndex: optional.number,
  text: optional.text,
});

/** The used fields of `groundingMetadata`: the queries, the pages found, and which segments of the text rest on which pages. */
export const groundingMetadata = z.object({
  webSearchQueries: optional.texts,
  groundingChunks: optional.list(optional.object({ web: optional.object(textFields('uri', 'title', 'domain')) })),
  groundingSupports: optional.list(
    z.object({ segment: optional.of(segment), groundingChunkIndices: optional.numbers }),
  ),
});

type ContentPart = z.output<typeof contentPart>;
type Segment = z.output<typeof segment>;
type GroundingMetadata = z.output<typeof groundingMetadata>;

/**
 * The text of a candidate with a mark behind each segment that rests on a source, and the sources: first the cited sources in the order of the text,
 * then the others.
 *
 * @returns `undefined` when the text cites sources that the reply does not list, as happens now and then (googleapis/dotnet-genai issue 230, 2026-03):
 * the citations would be lost without notice.
 */
export function groundedText(parts: readonly ContentPart[], metadata: GroundingMetadata) {
  const { groundingChunks: chunks, groundingSupports: supports } = metadata;
  const used = supports.flatMap(({ groundingChunkIndices }) => groundingChunkIndices ?? []);
  const order = [...new Set([...used, ...chunks.keys()])].filter((index) => chunks[index]?.web?.uri);
  if (used.length > 0 && !used.some((index) => Object.hasOwn(chunks, index))) return undefined;
  const positions = new Map(order.map((index, place) => [index, place + 1]));
  const pieces = textPieces(parts);
  const endOf = segmentEnds(pieces);
  const annotations = supports.map((support) => ({
    endIndex: endOf(support.segment),
    positions: (support.groundingChunkIndices ?? []).flatMap((index) => positions.get(index) ?? []),
  }));
  const annotated = annotate({ text: pieces.map((piece) => piece.text).join('') }, annotations, 'utf8');
  const sources = order.map((index): Source => {
    const { uri, title, domain } = chunks[index]?.web ?? {};
    return { url: uri, title: title || domain };
  });
  return { ...annotated, sources };
}

interface TextPiece {
  readonly partIndex: number;
  readonly text: string;
  readonly bytes: Buffer;
  /** Where the piece begins in the whole text, in bytes. */
  readonly offset: number;
}

function textPieces(parts: readonly ContentPart[]): TextPiece[] {
  let offset = 0;
  return parts.flatMap((part, partIndex) => {
    if (!part?.text || part.thought === true) return [];
    const bytes = Buffer.from(part.text);
    const piece = { partIndex, text: part.text, bytes, offset };
    offset += bytes.length;
    return [piece];
  });
}

/** How many parts are searched for the words of a segment. A reply has a handful of parts (2026-11). */
const MAX_SEARCHED_PIECES = 20;

/**
 * Returns the offset at which a segment ends in the whole text, in bytes of UTF-8; `NaN` when unknown. A segment may lack its part index although it
 * is not in the first part (googleapis/python-genai issue 961, 2025-06). So a part that has the segment's words at its offset wins over the part that
 * the segment names.
 */
function segmentEnds(pieces: readonly TextPiece[]): (cited: Segment | null | undefined) => number {
  const byPart = new Map(pieces.map((piece) => [piece.partIndex, piece]));
  const searched = pieces.slice(0, MAX_SEARCHED_PIECES);
  return (cited) => {
    const { endIndex, startIndex, partIndex, text } = cited ?? {};
    const named = byPart.get(partIndex ?? 0) ?? pieces[0];
    if (typeof endIndex !== 'number' || named === undefined) return Number.NaN;
    const words = Buffer.from(text ?? '');
    const hasWords = ({ bytes }: TextPiece) => standsAt(bytes, words, startIndex ?? 0);
    const isPlaced = words.length === endIndex - (startIndex ?? 0);
    const piece = isPlaced && !hasWords(named) ? (searched.find(hasWords) ?? named) : named;
    return piece.offset + Math.min(endIndex, piece.bytes.length);
  };
}

function standsAt(bytes: Buffer, words: Buffer, start: number): boolean {
  const isInside = Number.isInteger(start) && start >= 0 && start + words.length <= bytes.length;
  return isInside && bytes.compare(words, 0, words.length, start, start + words.length) === 0;
}
