import { z } from 'zod';
import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

const INPUT_TYPES = { query: 'search_query', document: 'search_document' };

/**
 * Cohere (cohere.com): `POST /v2/rerank` and `POST /v2/embed`. A document of a rerank is cut behind 4,096 tokens, and one of more than 500 tokens counts as
 * several documents of a search unit. Facts are of cohere-ai 8.1.0 and docs.cohere.com, read on 2026-11-26; those of version 5 are of second hand.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const cohere = retrievalProvider({
  id: 'cohere',
  models: rows,
  name: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  errors: [
    // A token that is blocked, not a wrong key (`InvalidTokenError` of the SDK).
    { status: 498, reason: 'query_rejected' },
    // A trial key has 1,000 calls a month (words of 2026-09).
    { status: 429, message: /\/ ?month|per month/i, reason: 'upstream_quota_exhausted' },
  ],
  rerank: { path: '/v2/rerank' },
  embed: {
    path: '/v2/embed',
    maxInputs: 96,
    // Texts that are too long are refused, not cut without a word. A role is required: without one, texts are documents.
    request: ({ model, inputs, inputType = 'document', dimensions }) => ({
      model,
      texts: inputs,
      input_type: INPUT_TYPES[inputType],
      embedding_types: ['base64'],
      truncate: 'NONE',
      output_dimension: dimensions,
    }),
    reply: z
      .object({ embeddings: z.object({ base64: z.array(z.string()) }) })
      .transform(({ embeddings }) => ({ data: embeddings.base64.map((embedding) => ({ embedding })) })),
  },
});
