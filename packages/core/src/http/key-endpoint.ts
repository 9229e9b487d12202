import { SECOND_MS } from '../base/time/rate-limit.js';
import { readKeyStanding } from '../request/read-key-standing.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { jsonText, type Printable } from './json-text.js';
import { checkNoFilters } from './parameter-names.js';
import type { KeyBody } from './success-bodies.js';

/** `GET /api/v1/key`: what the calling key has spent and may still spend, when its limit resets, and how fast it may ask. */
export function keyEndpoint(deps: HandlerDeps): Endpoint {
  return {
    name: 'key',
    ...READ_ONLY,
    async respond({ request }, { apiKey, trace }) {
      checkNoFilters(request.query);
      const { label, limit } = apiKey;
      const { usage, remaining, limitReset, resetsAt, rateLimit, maxConcurrent } = await readKeyStanding(deps, apiKey);
      const limits = { limit, limit_remaining: remaining, limit_reset: limitReset, resets_at: resetsAt };
      const rate = rateLimit && {
        requests: rateLimit.requests,
        period_seconds: rateLimit.periodMs / SECOND_MS,
        remaining: rateLimit.remaining,
      };
      const body: Printable<KeyBody> = { label, usage, ...limits, rate_limit: rate, max_concurrent: maxConcurrent };
      return jsonResponse(trace.requestId, jsonText(body));
    },
  };
}
