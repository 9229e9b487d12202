import { z } from 'zod';
import type { ModelRow } from '../../catalog/model-entry.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { jsonEndpoint, keyHeader } from '../../provider-kit/json-endpoint.js';
import type { EmbedPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { modelName, unitVector } from '../../provider-kit/ranks-and-vectors.js';
import { optional } from '../../provider-kit/reply-fields.js';
import { GOOGLE_ERRORS } from './google-answer.js';

const reply = z.object({
  embeddings: z.array(z.object({ values: z.custom<readonly number[]>(Array.isArray) })),
  // Of `gemini-embedding-2`; the others may leave it out (2026-11-26).
  usageMetadata: optional.object({ promptTokenCount: optional.number }),
});

/** Takes a role; its shortened vectors are not of length 1 (ai.google.dev). The newer model ignores the field, and shortens well. */
const FIRST = 'google/gemini-embedding-001';
const TASK_TYPES = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' };

/** Asks `POST /v1beta/models/{model}:batchEmbedContents` (@ai-sdk/google 3.0.141 and ai.google.dev, read 2026-11-26). Vectors come as numbers, in the order of the texts. */
export function googleEmbedPort(connection: Connection, models: readonly ModelRow[]): EmbedPort['embed'] {
  const asks = new Map(
    models.map((model) => {
      const path = `/v1beta/models/${modelName(model)}:batchEmbedContents`;
      const authorize = keyHeader('x-goog-api-key');
      const endpoint = { path, authorize, errors: GOOGLE_ERRORS, completeness: 'valid JSON', reply } as const;
      return [model.slug, jsonEndpoint(connection, endpoint)];
    }),
  );
  return async ({ model, inputs, inputType, dimensions }, context) => {
    const ask = asks.get(model.slug);
    if (ask === undefined) throw new Error(`no embedding model ${model.slug}`);
    const shared = {
      model: `models/${modelName(model)}`,
      ...definedFields({ taskType: inputType && TASK_TYPES[inputType] }),
      ...definedFields({ outputDimensionality: dimensions }),
    };
    const requests = inputs.map((text) => ({ ...shared, content: { parts: [{ text }] } }));
    const { body } = await ask({ requests }, context);
    const isShort = model.slug === FIRST && dimensions !== undefined;
    const embeddings = body.embeddings.map(({ values }, index) => ({
      index,
      vector: isShort ? unitVector(values) : values,
    }));
    const tokens = body.usageMetadata?.promptTokenCount;
    return { embeddings, cost: tokens == null ? {} : { usage: { inputTokens: tokens } } };
  };
}
