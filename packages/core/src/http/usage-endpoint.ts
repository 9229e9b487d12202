import { createSemaphore } from '../limits/fair-shares.js';
import { type AskedUsage, readUsage, type UsageRow } from '../request/read-usage.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './gateway-request.js';
import { jsonText } from './json-text.js';
import { parseUsageQuery } from './usage-query.js';

/** Most usage requests that are served at once, in total and for one organization. */
const SLOTS = { total: 16, perOrganization: 2 };

/** `GET /api/v1/usage`: the calling key's usage in a range of days, by day, model, tag or budget. */
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
        const query = { ...asked, keyId, organizationId };
        const rows = await readUsage({ ledger, logger }, query);
        // An answer that counts in several budgets is in several rows, and once in the row of the key.
        const whole = asked.by === 'budget' ? await readUsage({ ledger, logger }, { ...query, by: 'key' }) : rows;
        return jsonResponse(context.requestId, usageText(asked.by, rows, whole));
      } finally {
        slots.free(organizationId);
      }
    },
  };
}

function usageText(by: AskedUsage['by'], rows: readonly UsageRow[], whole: readonly UsageRow[]): string {
  const shown = rows.map(({ group, ...sums }) => ({ [by]: group, ...spentIn([sums]) }));
  const data = shown.filter(({ requests, cost }) => requests !== 0 || cost !== 0n);
  return jsonText({ data, total: spentIn(whole) });
}

function spentIn(rows: readonly Pick<UsageRow, 'charges' | 'charged' | 'adjusted'>[]) {
  let requests = 0;
  let cost = 0n;
  for (const { charges, charged, adjusted } of rows) {
    requests += charges;
    cost += charged + adjusted;
  }
  return { requests, cost };
}
