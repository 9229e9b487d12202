import type { EmbedPort, RerankPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { embedAt, rerankAt } from '../../provider-kit/ranks-and-vectors.js';
import { OPENROUTER_ERRORS } from './openrouter-answer.js';

// Facts are of @openrouter/sdk 1.3.19, read on 2026-11-26. Replies report the cost.

/** Asks `POST /rerank`. */
export function openrouterRerankPort(connection: Connection): RerankPort['rerank'] {
  return rerankAt(connection, {
    path: '/rerank',
    errors: OPENROUTER_ERRORS,
    // The id of a model begins with its vendor.
    request: ({ model, query, documents, topN }) => ({ model: `cohere/${model}`, query, documents, top_n: topN }),
  });
}

/** Asks `POST /embeddings`. */
export function openrouterEmbedPort(connection: Connection): EmbedPort['embed'] {
  return embedAt(connection, {
    path: '/embeddings',
    errors: OPENROUTER_ERRORS,
    request: ({ model, inputs, dimensions }) => ({
      model: `openai/${model}`,
      input: inputs,
      encoding_format: 'base64',
      dimensions,
    }),
  });
}
