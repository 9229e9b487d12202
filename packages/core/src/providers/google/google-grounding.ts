import { z } from 'zod';
import { insertMarkers } from '../annotated-text.js';
import type { Source } from '../citations.js';
import { citedSentences } from '../cited-sentences.js';
import { optionalList, optionalNumber, optionalNumbers, optionalText, optionalTexts } from '../reply-fields.js';

/** A part of a candidate's content; thoughts and what is no text count where parts are numbered. */
export const contentPart = z.object({ text: optionalText, thought: z.unknown().optional() }).nullish().catch(null);

const segment = z.object({
  partIndex: optionalNumber,
  /** In bytes of UTF-8 within the part; absent for 0. */
  startIndex: optionalNumber,
  /** Exclusive. */
  endIndex: optionalNumber,
  text: optionalText,
});

/** `groundingMetadata`, as far as it is used: what was searched for, what was found, and what of the text rests on it. */
export const groundingMetadata = z.object({
  webSearchQueries: optionalTexts,
  groundingChunks: optionalList(
    z
      .object({ web: z.object({ uri: optionalText, title: optionalText, domain: optionalText }).nullish().catch(null) })
      .nullish()
      .catch(null),
  ),
  groundingSupports: optionalList(
    z.object({ segment: segment.nullish().catch(null), groundingChunkIndices: optionalNumbers }),
  ),
});

type ContentPart = z.output<typeof contentPart>;
type Segment = z.output<typeof segment>;
type GroundingMetadata = z.output<typeof groundingMetadata>;

/**
 * The text of a candidate with a marker behind all that rests on a source, and the sources: first those the text rests on, in its order, then the others.
 * `undefined` when the text rests on sources that are not given, as Google's replies have it now and then (googleapis/dotnet-genai issue 230,
 * 2026-03): its citations would be lost without a word.
 */
export function groundedText(parts: readonly ContentPart[], metadata: GroundingMetadata) {
  const { groundingChunks: chunks, groundingSupports: supports } = metadata;
  const used = supports.flatMap(({ groundingChunkIndices }) => groundingChunkIndices ?? []);
  const order = [...new Set([...used, ...chunks.keys()])].filter((index) => chunks[index]?.web?.uri);
  if (used.length > 0 && !used.some((index) => index in chunks)) return undefined;
  const positions = new Map(order.map((index, place) => [index, place + 1]));
  const pieces = textPieces(parts);
  const annotations = supports.map((support) => ({
    endIndex: endOf(support.segment, pieces),
    positions: (support.groundingChunkIndices ?? []).flatMap((index) => positions.get(index) ?? []),
  }));
  const text = insertMarkers(pieces.map((piece) => piece.text).join(''), annotations, 'utf8');
  const sentences = citedSentences(text);
  const sources = order.map((index, place): Source => {
    const { uri, title, domain } = chunks[index]?.web ?? {};
    return { url: uri, title: title || domain, snippet: sentences.get(String(place + 1)) };
  });
  return { text, sources };
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

/**
 * Where a segment ends in the whole text, in bytes; `NaN` for nowhere. The part it is in may be left out although it is not the first
 * (googleapis/python-genai issue 961, 2025-06), so a piece that has the segment's words at its place comes before the one it names.
 */
function endOf(cited: Segment | null | undefined, pieces: readonly TextPiece[]): number {
  const { endIndex, startIndex, text } = cited ?? {};
  if (typeof endIndex !== 'number') return Number.NaN;
  const named = pieces.find(({ partIndex }) => partIndex === (cited?.partIndex ?? 0)) ?? pieces[0];
  const hasWords = ({ bytes }: TextPiece) => bytes.subarray(startIndex ?? 0, endIndex).toString() === text;
  const piece = named === undefined || hasWords(named) ? named : (pieces.find(hasWords) ?? named);
  return piece === undefined ? Number.NaN : piece.offset + Math.min(endIndex, piece.bytes.length);
}
