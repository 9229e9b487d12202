import { readKeySpending } from '../calls/read-key-spending.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { jsonText } from './json-text.js';

/** `GET /api/v1/key`: what the calling key has spent and may still spend, and when its limit resets. */
export function keyEndpoint(deps: HandlerDeps): Endpoint {
  return {
    name: 'key',
    ...READ_ONLY,
    async respond(_request, { apiKey, trace }) {
      const { label, limit } = apiKey;
      const { usage, remaining, limitReset, resetsAt } = await readKeySpending(deps, apiKey);
      const limits = { limit, limit_remaining: remaining, limit_reset: limitReset, resets_at: resetsAt };
      return jsonResponse(trace.requestId, jsonText({ label, usage, ...limits }));
    },
  };
}
