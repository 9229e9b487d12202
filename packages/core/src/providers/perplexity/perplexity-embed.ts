import type { EmbedPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { embedAt, unitVector } from '../../provider-kit/ranks-and-vectors.js';
import { MAX_VECTOR_LENGTH } from '../../text/reply-limits.js';
import { PERPLEXITY_ERRORS } from './perplexity-errors.js';

/**
 * Asks `POST /v1/embeddings`, which knows no floats: base64 of signed numbers of 8 bits, to be compared by their direction alone (docs.perplexity.ai and SDK
 * 0.38.5, read 2026-11-26). Vectors of length 1 have the same direction, and can be compared in every way.
 */
export function perplexityEmbedPort(connection: Connection): EmbedPort['embed'] {
  const embed = embedAt(connection, {
    path: '/v1/embeddings',
    errors: PERPLEXITY_ERRORS,
    request: ({ model, inputs, dimensions }) => ({
      model,
      input: inputs,
      encoding_format: 'base64_int8',
      dimensions,
    }),
  });
  return async (call, context) => {
    const outcome = await embed(call, context);
    const embeddings = outcome.embeddings.map(({ index, vector }) => ({
      index,
      vector: typeof vector === 'string' ? floatsOf(vector) : vector,
    }));
    return { ...outcome, embeddings };
  };
}

/** No numbers for what is too long, or no base64: node would skip it, and give others. */
function floatsOf(base64: string): readonly number[] {
  if (base64.length > 2 * MAX_VECTOR_LENGTH) return [];
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? unitVector(Array.from(new Int8Array(bytes))) : [];
}
