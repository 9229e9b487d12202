import { z } from 'zod';
import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

/** Above the limit of its fast mode, ZeroEntropy answers in 2 to 20 seconds; a refusal lets another provider answer. */
const FAST = { latency: 'fast' };

/**
 * ZeroEntropy (zeroentropy.dev): `POST /models/rerank` and `POST /models/embed`. Facts are of zeroentropy 0.1.0-alpha.10 and docs.zeroentropy.dev, read on
 * 2026-11-26.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const zeroentropy = retrievalProvider({
  id: 'zeroentropy',
  models: rows,
  name: 'ZeroEntropy',
  baseUrl: 'https://api.zeroentropy.dev/v1',
  rerank: {
    path: '/models/rerank',
    request: ({ model, query, documents, topN }) => ({ ...FAST, model, query, documents, top_n: topN }),
  },
  embed: {
    path: '/models/embed',
    maxInputs: 256,
    // A role is required: without one, texts are documents.
    request: ({ model, inputs, inputType = 'document', dimensions }) => ({
      ...FAST,
      model,
      input: inputs,
      input_type: inputType,
      encoding_format: 'base64',
      dimensions,
    }),
    reply: z
      .object({ results: z.array(z.object({ embedding: z.string() })) })
      .transform(({ results }) => ({ data: results })),
  },
});
