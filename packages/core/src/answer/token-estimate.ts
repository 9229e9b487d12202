/**
 * The tokens of a text, estimated: no vendor's tokenizer is built in. Held is a token for 3 bytes of UTF-8, which is more than vendors count for most
 * languages; where a vendor counts nothing, charged is a token for 4 bytes, the figure that OpenAI gives for English (docs/embeddings.md, 2026-11-27).
 */
export function estimateTokens(text: string, bytesPerToken: typeof HELD_BYTES | typeof BILLED_BYTES): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

export const HELD_BYTES = 3;
export const BILLED_BYTES = 4;
