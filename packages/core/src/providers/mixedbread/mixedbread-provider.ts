import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

/** The role of a query is said in words, by the card of the model; documents have no words. */
const QUERY_PROMPT = 'Represent this sentence for searching relevant passages:';

/**
 * Mixedbread (mixedbread.com): `POST /v1/reranking` and `POST /v1/embeddings`. It cuts texts that are too long, and has no field against it. Facts are of
 * @mixedbread/sdk 0.78.0 and mixedbread.com/api-reference, read on 2026-11-26.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const mixedbread = retrievalProvider({
  id: 'mixedbread',
  models: rows,
  name: 'Mixedbread',
  baseUrl: 'https://api.mixedbread.com',
  rerank: {
    path: '/v1/reranking',
    request: ({ model, query, documents, topN }) => ({
      model: `mixedbread-ai/${model}`,
      query,
      input: documents,
      top_k: topN,
    }),
  },
  embed: {
    path: '/v1/embeddings',
    maxInputs: 256,
    request: ({ model, inputs, inputType, dimensions }) => ({
      model: `mixedbread-ai/${model}`,
      input: inputs,
      encoding_format: 'base64',
      prompt: inputType === 'query' ? QUERY_PROMPT : undefined,
      dimensions,
    }),
  },
});
