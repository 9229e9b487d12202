import { z } from 'zod';
import { modelName } from '../../provider-kit/call-fields.js';
import type { Connection, EmbedPort } from '../../provider-kit/provider.js';
import { unitVector } from '../../provider-kit/ranks-and-vectors.js';
import { optional } from '../../provider-kit/reply-fields.js';
import { endpointsOf } from './google-api.js';

const reply = z.object({
  embeddings: z.array(z.object({ values: z.custom<readonly number[]>(Array.isArray) })),
  // Of `gemini-embedding-2`; the others may leave it out (2026-11-26).
  usageMetadata: optional.object({ promptTokenCount: optional.number }),
});

/** Takes a role; its shortened vectors are not of length 1 (ai.google.dev). The newer model ignores the field, and shortens well. */
const FIRST = 'google/gemini-embedding-001';
const TASK_TYPES = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' };

/** Asks `POST /v1beta/models/{model}:batchEmbedContents` (@ai-sdk/google 3.0.141 and ai.google.dev, read 2026-11-26). Vectors come as numbers, in the order of the texts. */
export function googleEmbedPort(connection: Connection): EmbedPort['embed'] {
  const ask = endpointsOf(connection, 'batchEmbedContents', { reply, completeness: 'valid JSON' });
  return async ({ model, inputs, inputType, dimensions }, context) => {
    const taskType = inputType && TASK_TYPES[inputType];
    const shared = { model: `models/${modelName(model)}`, taskType, outputDimensionality: dimensions };
    const requests = inputs.map((text) => ({ ...shared, content: { parts: [{ text }] } }));
    const { body } = await ask(model)({ requests }, context);
    const isShort = model.slug === FIRST && dimensions !== undefined;
    const embeddings = body.embeddings.map(({ values }, index) => ({
      index,
      vector: isShort ? unitVector(values) : values,
    }));
    const tokens = body.usageMetadata?.promptTokenCount;
    return { embeddings, cost: tokens == null ? {} : { usage: { inputTokens: tokens } } };
  };
}
