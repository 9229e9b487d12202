import { retrievalProvider } from '../../provider-kit/ranks-and-vectors.js';
import rows from './models.json' with { type: 'json' };

/**
 * Contextual AI (contextual.ai): `POST /rerank`. It reports no usage: an estimate of the tokens is charged. Facts are of contextual-client 0.10.0, read on
 * 2026-11-26.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const contextual = retrievalProvider({
  id: 'contextual',
  models: rows,
  name: 'Contextual AI',
  baseUrl: 'https://api.contextual.ai/v1',
  // The words of the error are not documented (low confidence).
  errors: [{ status: [400, 422], message: /too (?:long|many tokens)|exceed|maximum/i, reason: 'query_rejected' }],
  rerank: { path: '/rerank' },
});
