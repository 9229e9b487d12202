import { z } from 'zod';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { EmbedCall, Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { embedInOrderAt, modelName, rerankAt } from '../../provider-kit/ranks-and-vectors.js';

// Facts are of cohere-ai 8.1.0 and docs.cohere.com, read on 2026-11-26. Calls by tokens (version 5) are of second-hand sources.

const COHERE_RERANK_MODELS = listedModels({
  category: 'rerank',
  provider: 'cohere',
  shared: { timeoutMs: 30_000 },
  models: {
    'rerank-v5.0-pro': {},
    'rerank-v5.0-fast': {},
    'rerank-v4.0-pro': {},
    'rerank-v4.0-fast': {},
    'rerank-v3.5': {},
  },
});

const LENGTHS = [256, 512, 768, 1_024, 1_536, 2_048];
const COHERE_EMBED_MODELS = listedModels({
  category: 'embedding',
  provider: 'cohere',
  shared: { timeoutMs: 30_000, vectorLengths: LENGTHS },
  models: { 'embed-v5.0-pro': {}, 'embed-v5.0-fast': {}, 'embed-v4.0': { vectorLengths: [256, 512, 1_024, 1_536] } },
});

const COHERE_ERRORS: ErrorTable = [
  // A token that is blocked, not a wrong key (`InvalidTokenError` of the SDK).
  { status: 498, reason: 'query_rejected' },
  { status: 400, message: /^too many tokens/i, reason: 'query_rejected' },
];

const COHERE_INPUT_TYPES = { query: 'search_query', document: 'search_document' };

/** Texts that are too long are refused, not cut without a word. A role is required: without one, texts are documents. */
function embedRequest({ model, inputs, inputType = 'document', dimensions }: EmbedCall): object {
  return {
    model: modelName(model),
    texts: inputs,
    input_type: COHERE_INPUT_TYPES[inputType],
    embedding_types: ['base64'],
    truncate: 'NONE',
    ...definedFields({ output_dimension: dimensions }),
  };
}

const embedReply = z
  .object({ embeddings: z.object({ base64: z.array(z.string()) }) })
  .transform(({ embeddings }) => ({ vectors: embeddings.base64 }));

const cohereSettings = z.strictObject(
  commonSettings('https://api.cohere.com', { rerank: COHERE_RERANK_MODELS, embed: COHERE_EMBED_MODELS }),
);

/**
 * Cohere (cohere.com): `POST /v2/rerank` and `POST /v2/embed`. A document of a rerank is cut behind 4,096 tokens, and one of more than 500 tokens counts as
 * several documents of a search unit.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function cohere(settings: ProviderSettings): Provider {
  const { models, rerankModels, embedModels, limits, connection } = parseProviderSettings(
    cohereSettings,
    settings,
    'cohere',
  );
  const errors = COHERE_ERRORS;
  return {
    id: 'cohere',
    name: 'Cohere',
    models,
    limits,
    rerank: {
      models: rerankModels,
      rerank: rerankAt(connection, {
        path: '/v2/rerank',
        errors,
        request: ({ model, query, documents, topN }) => ({ model: modelName(model), query, documents, top_n: topN }),
      }),
    },
    embed: {
      models: embedModels,
      maxInputs: 96,
      embed: embedInOrderAt(connection, { path: '/v2/embed', errors, request: embedRequest, reply: embedReply }),
    },
  };
}
