import { definedFields } from '../../provider-kit/defined-fields.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { EmbedPort, RerankPort } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { embedAt, RETRIEVAL_TIMEOUT_MS, rerankAt, SEARCH_UNITS } from '../../provider-kit/ranks-and-vectors.js';
import { OPENROUTER_ERRORS } from './openrouter-answer.js';

// Facts are of @openrouter/sdk 1.3.19, read on 2026-11-26. Replies report the cost.

export const OPENROUTER_RERANK_MODELS = listedModels({
  category: 'rerank',
  provider: 'openrouter',
  shared: { timeoutMs: RETRIEVAL_TIMEOUT_MS },
  models: { 'rerank-v3.5': SEARCH_UNITS },
});

export const OPENROUTER_EMBED_MODELS = listedModels({
  category: 'embedding',
  provider: 'openrouter',
  shared: { timeoutMs: RETRIEVAL_TIMEOUT_MS },
  models: { 'text-embedding-3-small': {}, 'text-embedding-3-large': {} },
});

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
      ...definedFields({ dimensions }),
    }),
  });
}
