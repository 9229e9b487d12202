import { createPlaces } from '../calls/places.js';
import { readTotals } from '../calls/read-totals.js';
import { RequestError } from '../errors/request-error.js';
import type { Ledger } from '../ledger/ledger.js';
import type { UsageQuery, UsageRow } from '../ledger/usage.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { jsonText } from './json-text.js';
import { parseUsageQuery } from './usage-query.js';

/** How many statements are read at once, and how many of them for one organization. */
const PLACES = { total: 16, perOrganization: 2 };
const LARGEST_PAGE = 1_000;
const MAX_PAGES = 10;

/** `GET /api/v1/usage`: what the calling key has spent in some days, by day, model or tag. */
export function usageEndpoint({ ledger, logger, clock }: HandlerDeps): Endpoint {
  const places = createPlaces(PLACES);
  return {
    name: 'usage',
    ...READ_ONLY,
    async respond({ request }, { apiKey, trace }) {
      const asked = parseUsageQuery(request.query, clock.now());
      const { id: keyId, organizationId } = apiKey;
      places.take(organizationId);
      try {
        const rows = await readTotals(readRows(ledger, { ...asked, keyId, organizationId }), logger);
        return jsonResponse(trace.requestId, usageText(asked.by, rows));
      } finally {
        places.free(organizationId);
      }
    },
  };
}

/** At most {@link MAX_PAGES} pages. What a key uses by day and model is far less; callers choose the tags. */
async function readRows(ledger: Pick<Ledger, 'usage'>, query: UsageQuery): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const after = rows.at(-1)?.group ?? undefined;
    const found = await ledger.usage({ ...query, limit: LARGEST_PAGE, after });
    rows.push(...found);
    if (found.length < LARGEST_PAGE || found.at(-1)?.group === null) return rows;
  }
  throw new RequestError('invalid_parameter', { param: 'from', details: { allowed: ['fewer days'] } });
}

function usageText(by: UsageQuery['by'], rows: readonly UsageRow[]): string {
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
