import type { ModelRow } from '../catalog/model-entry.js';

/** The tokens of a text: no vendor's tokenizer is built in. */
export interface TextSize {
  /** As {@link likelyTokens}. */
  readonly likely: number;
  /** No tokenizer counts more. Of English about four times the true count. */
  readonly most: number;
}

/** Marks of the beginning and the end. */
const SPECIAL_TOKENS = 8;
const BYTES_PER_TOKEN = 4;

/** A token for 4 bytes, the figure that OpenAI gives for English (docs/embeddings.md, 2026-11-27): charged where a vendor counts nothing. */
export function likelyTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/**
 * Measures texts. A token has at least one byte of UTF-8, of the text itself or of its compatibility form (NFKC), to which some tokenizers bring it first.
 * Characters are brought to that form one by one, because the making of the form of a whole text can take a time in the square of the length. The form of the
 * whole text is longer only where a mark follows a character and takes it apart.
 */
export function measureTexts(texts: readonly string[]): readonly TextSize[] {
  const growths = new Map<number, Growth>();
  return texts.map((text) => {
    const bytes = Buffer.byteLength(text);
    let most = bytes + SPECIAL_TOKENS;
    let before: Growth | undefined;
    // Only ASCII has as many bytes as characters, and does not grow.
    for (let at = 0; bytes > text.length && at < text.length; at += 1) {
      const code = text.codePointAt(at) ?? 0;
      if (code > 0xffff) at += 1;
      let growth: Growth | undefined;
      if (code >= 0x80) {
        growth = growths.get(code);
        if (growth === undefined) growths.set(code, (growth = growthOf(String.fromCodePoint(code))));
        most += growth.alone + (growth.isMark ? (before?.apart ?? 0) : 0);
      }
      before = growth;
    }
    return { likely: Math.ceil(bytes / BYTES_PER_TOKEN), most };
  });
}

interface Growth {
  readonly isMark: boolean;
  /** Bytes that the compatibility form of a character has more than the character. */
  readonly alone: number;
  /** Bytes on top of these, where it is taken apart. */
  readonly apart: number;
}

function growthOf(character: string): Growth {
  const parts = character.normalize('NFKD');
  const bytes = Buffer.byteLength(character);
  const composed = Math.max(bytes, Buffer.byteLength(character.normalize('NFKC')));
  const apart = Math.max(composed, Buffer.byteLength(parts));
  return { isMark: MARK.test(parts), alone: composed - bytes, apart: apart - composed };
}

const MARK = /^\p{M}/u;

/** The most tokens that a model reads of a text: it cuts or refuses a longer one. */
export function inputLimit(model: Pick<ModelRow, 'maxInputTokens' | 'contextLength'>): number {
  const limit = model.maxInputTokens ?? model.contextLength ?? 0;
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}
