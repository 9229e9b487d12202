import { readTotals } from '../request/read-totals.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { jsonText, type Printable } from './json-text.js';
import { checkNoFilters } from './parameter-names.js';
import type { CreditsBody } from './success-bodies.js';

/** `GET /api/v1/credits`: the organization's balance. Amounts held by calls in flight are not usage yet. */
export function creditsEndpoint({ ledger, logger }: HandlerDeps): Endpoint {
  return {
    name: 'credits',
    ...READ_ONLY,
    async respond({ request }, { apiKey, trace }) {
      checkNoFilters(request.query);
      const { credits, usage } = await readTotals(ledger.organizationTotals(apiKey.organizationId), logger);
      const body: Printable<CreditsBody> = { total_credits: credits, total_usage: usage };
      return jsonResponse(trace.requestId, jsonText(body));
    },
  };
}
