import { createSemaphore } from '../limits/fair-shares.js';
import { type AskedUsage, readUsage, type UsageRow } from '../request/read-usage.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './gateway-request.js';
import { jsonText } from './json-text.js';
import { parseUsageQuery } from './usage-query.js';

/** Most usage requests that are served at once, in total and for one organization. */
const SLOTS = { total: 16, perOrganization: 2 };

/** `GET /api/v1/usage`: the calling key's usage in a range of days, by day, model or tag. */
export function usageEndpoint({ ledger, logger, clock }: HandlerDeps): Endpoint {
  const slots = createSemaphore(SLOTS);
  return {
    name: 'usage',
    ...READ_ONLY,
    async respond({ request }, { apiKey, context }) {
      const asked = parseUsageQuery(request.query, clock.now());
      const { id: keyId, organizationId } = apiKey;
      slots.take(organizationId);
      try {
        const rows = await readUsage({ ledger, logger }, { ...asked, keyId, organizationId });
        return jsonResponse(context.requestId, usageText(asked.by, rows));
      } finally {
        slots.free(organizationId);
      }
    },
  };
}

function usageText(by: AskedUsage['by'], rows: readonly UsageRow[]): string {
  let requests = 0;
  let total = 0n;
  const data = rows.flatMap(({ group, charges, charged, adjusted }) => {
    const cost = charged + adjusted;
    if (charges === 0 && cost === 0n) return [];
    requests += charges;
    total += cost;
    return [{ [by]: group, requests: charges, cost }];
  });
  return jsonText({ data, total: { requests, cost: total } });
}
