import { z } from 'zod';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { EmbedCall, Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { embedAt, modelName, rerankAt } from '../../provider-kit/ranks-and-vectors.js';

// Facts are of @mixedbread/sdk 0.78.0 and mixedbread.com/api-reference, read on 2026-11-26.

const MIXEDBREAD_RERANK_MODELS = listedModels({
  category: 'rerank',
  provider: 'mixedbread',
  shared: { timeoutMs: 30_000 },
  models: { 'mxbai-rerank-large-v2': {} },
});
const MIXEDBREAD_EMBED_MODELS = listedModels({
  category: 'embedding',
  provider: 'mixedbread',
  shared: { timeoutMs: 30_000 },
  models: { 'mxbai-embed-large-v1': {} },
});

/** The role of a query is said in words, by the card of the model; documents have no words. */
const QUERY_PROMPT = 'Represent this sentence for searching relevant passages:';

function embedRequest({ model, inputs, inputType, dimensions }: EmbedCall): object {
  return {
    model: `mixedbread-ai/${modelName(model)}`,
    input: inputs,
    encoding_format: 'base64',
    ...(inputType === 'query' && { prompt: QUERY_PROMPT }),
    ...definedFields({ dimensions }),
  };
}

const mixedbreadSettings = z.strictObject(
  commonSettings('https://api.mixedbread.com', { rerank: MIXEDBREAD_RERANK_MODELS, embed: MIXEDBREAD_EMBED_MODELS }),
);

/**
 * Mixedbread (mixedbread.com): `POST /v1/reranking` and `POST /v1/embeddings`. It cuts texts that are too long, and has no field against it.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function mixedbread(settings: ProviderSettings): Provider {
  const { models, rerankModels, embedModels, limits, connection } = parseProviderSettings(
    mixedbreadSettings,
    settings,
    'mixedbread',
  );
  return {
    id: 'mixedbread',
    name: 'Mixedbread',
    models,
    limits,
    rerank: {
      models: rerankModels,
      rerank: rerankAt(connection, {
        path: '/v1/reranking',
        errors: [],
        request: ({ model, query, documents, topN }) => ({
          model: `mixedbread-ai/${modelName(model)}`,
          query,
          input: documents,
          top_k: topN,
        }),
      }),
    },
    embed: {
      models: embedModels,
      maxInputs: 256,
      embed: embedAt(connection, { path: '/v1/embeddings', errors: [], request: embedRequest }),
    },
  };
}
