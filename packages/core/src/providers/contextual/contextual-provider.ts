import { z } from 'zod';
import type { ErrorTable } from '../../provider-kit/classify.js';
import { listedModels } from '../../provider-kit/listed-models.js';
import type { Provider } from '../../provider-kit/provider.js';
import { commonSettings, type ProviderSettings, parseProviderSettings } from '../../provider-kit/provider-settings.js';
import { modelName, rerankAt } from '../../provider-kit/ranks-and-vectors.js';

// Facts are of contextual-client 0.10.0, read on 2026-11-26.

const CONTEXTUAL_MODELS = listedModels({
  category: 'rerank',
  provider: 'contextual',
  shared: { timeoutMs: 30_000 },
  models: { 'ctxl-rerank-v2-instruct-multilingual': {}, 'ctxl-rerank-v2-instruct-multilingual-mini': {} },
});

/** The words of the error are not documented (low confidence). */
const CONTEXTUAL_ERRORS: ErrorTable = [
  { status: [400, 422], message: /too (?:long|many tokens)|exceed|maximum/i, reason: 'query_rejected' },
];

const contextualSettings = z.strictObject(
  commonSettings('https://api.contextual.ai/v1', { rerank: CONTEXTUAL_MODELS }),
);

/**
 * Contextual AI (contextual.ai): `POST /rerank`. It reports no usage: an estimate of the tokens is charged.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export function contextual(settings: ProviderSettings): Provider {
  const { models, rerankModels, limits, connection } = parseProviderSettings(
    contextualSettings,
    settings,
    'contextual',
  );
  return {
    id: 'contextual',
    name: 'Contextual AI',
    models,
    limits,
    rerank: {
      models: rerankModels,
      rerank: rerankAt(connection, {
        path: '/rerank',
        errors: CONTEXTUAL_ERRORS,
        request: ({ model, query, documents, topN }) => ({ model: modelName(model), query, documents, top_n: topN }),
      }),
    },
  };
}
