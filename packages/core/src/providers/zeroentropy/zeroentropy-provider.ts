import { z } from 'zod';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';

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
  name: 'ZeroEntropy',
  baseUrl: 'https://api.zeroentropy.dev/v1',
  rerank: {
    path: '/models/rerank',
    models: { 'zerank-2': {} },
    request: ({ model, query, documents, topN }) => ({ ...FAST, model, query, documents, top_n: topN }),
  },
  embed: {
    path: '/models/embed',
    models: { 'zembed-1': { vectorLengths: [40, 80, 160, 320, 640, 1_280, 2_560] } },
    maxInputs: 256,
    // A role is required: without one, texts are documents.
    request: ({ model, inputs, inputType = 'document', dimensions }) => ({
      ...FAST,
      model,
      input: inputs,
      input_type: inputType,
      encoding_format: 'base64',
      ...definedFields({ dimensions }),
    }),
    reply: z
      .object({ results: z.array(z.object({ embedding: z.string() })) })
      .transform(({ results }) => ({ data: results })),
  },
});
