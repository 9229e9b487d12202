import { z } from 'zod';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { Provider } from '../../provider-kit/provider.js';
import {
  atHost,
  commonSettings,
  type ProviderSettings,
  parseProviderSettings,
} from '../../provider-kit/provider-settings.js';
import { embedAt, modelName, rerankAt } from '../../provider-kit/ranks-and-vectors.js';

// Facts are of voyageai 0.4.0 and docs.voyageai.com, read on 2026-11-26.

const VOYAGE_RERANK_MODELS = listedModels({
  category: 'rerank',
  provider: 'voyage',
  shared: { timeoutMs: 30_000 },
  models: { 'rerank-3': {}, 'rerank-3-lite': {}, 'rerank-2.5': {}, 'rerank-2.5-lite': {} },
});

const VOYAGE_EMBED_MODELS = listedModels({
  category: 'embedding',
  provider: 'voyage',
  shared: { timeoutMs: 30_000, vectorLengths: [256, 512, 1_024, 2_048] },
  models: {
    'voyage-4-large': {},
    'voyage-4': {},
    'voyage-4-lite': {},
    'voyage-code-3': {},
    'voyage-3.5': {},
    'voyage-3-large': {},
  },
});

const VOYAGE_ERRORS: ErrorTable = [
  // In words of 2026-04: "The max allowed tokens per submitted batch is 120000", "too many tokens … context window".
  { status: 400, message: /too many tokens|max allowed tokens|context window/i, reason: 'query_rejected' },
  // Without a way to pay, an account has three requests a minute.
  { status: 429, message: /payment method/i, reason: 'upstream_quota_exhausted' },
];

const VOYAGE = 'https://api.voyageai.com/v1';
/** Takes the keys of MongoDB Atlas, which the other host refuses. */
const ATLAS = 'https://ai.mongodb.com/v1';

const voyageSettings = z.strictObject(
  commonSettings(VOYAGE, { rerank: VOYAGE_RERANK_MODELS, embed: VOYAGE_EMBED_MODELS }),
);

/**
 * Voyage AI (voyageai.com): `POST /rerank` and `POST /embeddings`. A key of MongoDB Atlas (`al-…`) is sent to Atlas; a key that a function gives needs the
 * `baseUrl` of its host. Texts that are too long are refused, not cut without a word.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function voyage(settings: ProviderSettings): Provider {
  const parsed = parseProviderSettings(voyageSettings, settings, 'voyage');
  const { models, rerankModels, embedModels, limits } = parsed;
  const { apiKey } = parsed.connection;
  const isOfAtlas = typeof apiKey === 'string' && apiKey.startsWith('al-');
  const connection = isOfAtlas ? atHost(parsed.connection, VOYAGE, ATLAS) : parsed.connection;
  const errors = VOYAGE_ERRORS;
  return {
    id: 'voyage',
    name: 'Voyage AI',
    models,
    limits,
    rerank: {
      models: rerankModels,
      rerank: rerankAt(connection, {
        path: '/rerank',
        errors,
        request: ({ model, query, documents, topN }) => ({
          model: modelName(model),
          query,
          documents,
          top_k: topN,
          truncation: false,
        }),
      }),
    },
    embed: {
      models: embedModels,
      // A request of the largest model has at most 120,000 tokens.
      maxInputs: 128,
      embed: embedAt(connection, {
        path: '/embeddings',
        errors,
        request: ({ model, inputs, inputType, dimensions }) => ({
          model: modelName(model),
          input: inputs,
          encoding_format: 'base64',
          truncation: false,
          ...definedFields({ input_type: inputType }),
          ...definedFields({ output_dimension: dimensions }),
        }),
      }),
    },
  };
}
