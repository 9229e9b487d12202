import { z } from 'zod';
import { definedFields } from '../../provider-kit/defined-fields.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { EmbedCall, Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { embedInOrderAt, modelName, rerankAt } from '../../provider-kit/ranks-and-vectors.js';

// Facts are of zeroentropy 0.1.0-alpha.10 and docs.zeroentropy.dev, read on 2026-11-26.

const ZEROENTROPY_RERANK_MODELS = listedModels({
  category: 'rerank',
  provider: 'zeroentropy',
  shared: { timeoutMs: 30_000 },
  models: { 'zerank-2': {} },
});
const ZEROENTROPY_EMBED_MODELS = listedModels({
  category: 'embedding',
  provider: 'zeroentropy',
  shared: { timeoutMs: 30_000, vectorLengths: [40, 80, 160, 320, 640, 1_280, 2_560] },
  models: { 'zembed-1': {} },
});

/** Above the limit of its fast mode, ZeroEntropy answers in 2 to 20 seconds; a refusal lets another provider answer. */
const FAST = { latency: 'fast' };

/** A role is required: without one, texts are documents. */
function embedRequest({ model, inputs, inputType = 'document', dimensions }: EmbedCall): object {
  return {
    ...FAST,
    model: modelName(model),
    input: inputs,
    input_type: inputType,
    encoding_format: 'base64',
    ...definedFields({ dimensions }),
  };
}

const embedReply = z
  .object({ results: z.array(z.object({ embedding: z.string() })) })
  .transform(({ results }) => ({ vectors: results.map(({ embedding }) => embedding) }));

const zeroentropySettings = z.strictObject(
  commonSettings('https://api.zeroentropy.dev/v1', {
    rerank: ZEROENTROPY_RERANK_MODELS,
    embed: ZEROENTROPY_EMBED_MODELS,
  }),
);

/**
 * ZeroEntropy (zeroentropy.dev): `POST /models/rerank` and `POST /models/embed`.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function zeroentropy(settings: ProviderSettings): Provider {
  const { models, rerankModels, embedModels, limits, connection } = parseProviderSettings(
    zeroentropySettings,
    settings,
    'zeroentropy',
  );
  return {
    id: 'zeroentropy',
    name: 'ZeroEntropy',
    models,
    limits,
    rerank: {
      models: rerankModels,
      rerank: rerankAt(connection, {
        path: '/models/rerank',
        errors: [],
        request: ({ model, query, documents, topN }) => ({
          ...FAST,
          model: modelName(model),
          query,
          documents,
          top_n: topN,
        }),
      }),
    },
    embed: {
      models: embedModels,
      maxInputs: 256,
      embed: embedInOrderAt(connection, {
        path: '/models/embed',
        errors: [],
        request: embedRequest,
        reply: embedReply,
      }),
    },
  };
}
