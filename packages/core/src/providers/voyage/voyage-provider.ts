import type { Connection } from '../../provider-kit/provider.js';
import { atHost } from '../../provider-kit/provider-settings.js';
import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

const VOYAGE = 'https://api.voyageai.com/v1';
/** Takes the keys of MongoDB Atlas, which the other host refuses. */
const ATLAS = 'https://ai.mongodb.com/v1';

function hostOfKey(connection: Connection): Connection {
  const isOfAtlas = typeof connection.apiKey === 'string' && connection.apiKey.startsWith('al-');
  return isOfAtlas ? atHost(connection, VOYAGE, ATLAS) : connection;
}

/**
 * Voyage AI (voyageai.com): `POST /rerank` and `POST /embeddings`. A key of MongoDB Atlas (`al-…`) is sent to Atlas; a key that a function gives needs the
 * `baseUrl` of its host, and organizations need keys of the same host. Texts that are too long are refused, not cut without a word. Facts are of docs.voyageai.com and voyageai 0.4.0, read on 2026-11-26.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const voyage = retrievalProvider({
  id: 'voyage',
  models: rows,
  name: 'Voyage AI',
  baseUrl: VOYAGE,
  connect: hostOfKey,
  rerank: {
    path: '/rerank',
    request: ({ model, query, documents, topN }) => ({ model, query, documents, top_k: topN, truncation: false }),
  },
  embed: {
    path: '/embeddings',
    // A request of the largest model has at most 120,000 tokens.
    maxInputs: 128,
    request: ({ model, inputs, inputType, dimensions }) => ({
      model,
      input: inputs,
      encoding_format: 'base64',
      truncation: false,
      input_type: inputType,
      output_dimension: dimensions,
    }),
  },
});
