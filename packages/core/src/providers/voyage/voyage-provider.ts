import { ConfigurationError } from '../../base/errors/configuration-error.js';
import type { Connection } from '../../provider-kit/provider.js';
import { atHost } from '../../provider-kit/provider-settings.js';
import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

const VOYAGE = 'https://api.voyageai.com/v1';
/** Takes the keys of MongoDB Atlas, which the other host refuses. */
const ATLAS = 'https://ai.mongodb.com/v1';

function hostOfKey(connection: Connection): Connection {
  const keys = [...(connection.apiKeys?.values() ?? [connection.apiKey])];
  const ofAtlas = keys.filter((key) => typeof key === 'string' && key.startsWith('al-'));
  if (ofAtlas.length === 0) return connection;
  if (ofAtlas.length === keys.length || connection.baseUrl !== VOYAGE) return atHost(connection, VOYAGE, ATLAS);
  const found = 'keys of Voyage AI and of MongoDB Atlas';
  throw new ConfigurationError([{ path: 'voyage.apiKeys', found, expected: 'keys of one host, or a baseUrl' }]);
}

/**
 * Voyage AI (voyageai.com): `POST /rerank` and `POST /embeddings`. A key of MongoDB Atlas (`al-…`) is sent to Atlas; a key that a function gives needs the
 * `baseUrl` of its host. Texts that are too long are refused, not cut without a word. Facts are of docs.voyageai.com and voyageai 0.4.0, read on 2026-11-26.
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
