import { type Endpoint, type HandlerDeps, readOnlyEndpoint } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { jsonText } from './json-text.js';
import { readTotals } from './read-totals.js';

/** `GET /api/v1/key`: what the calling key has spent and may still spend. */
export function keyEndpoint({ ledger, admission, logger }: HandlerDeps): Endpoint {
  return {
    name: 'key',
    ...readOnlyEndpoint(admission),
    async respond(_request, { apiKey, trace }) {
      const { id, label, limit } = apiKey;
      const { usage } = await readTotals(ledger.keyTotals(id), logger);
      const remaining = limit === null ? null : limit > usage ? limit - usage : 0n;
      return jsonResponse(trace.requestId, jsonText({ label, usage, limit, limit_remaining: remaining }));
    },
  };
}
