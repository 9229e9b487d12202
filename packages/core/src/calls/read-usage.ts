import { RequestError } from '../errors/request-error.js';
import type { Ledger } from '../ledger/ledger.js';
import type { UsageQuery, UsageRow } from '../ledger/usage.js';

export type { UsageRow };

/** What a caller asks about its usage, as the ledger is asked. */
export type AskedUsage = Pick<UsageQuery, 'by' | 'fromDay' | 'toDay'>;

const LARGEST_PAGE = 1_000;
const MAX_PAGES = 10;

/** At most {@link MAX_PAGES} pages. What a key uses by day and model is far less; callers choose the tags. */
export async function readUsage(ledger: Pick<Ledger, 'usage'>, query: UsageQuery): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const after = rows.at(-1)?.group ?? undefined;
    const found = await ledger.usage({ ...query, limit: LARGEST_PAGE, after });
    rows.push(...found);
    if (found.length < LARGEST_PAGE || found.at(-1)?.group === null) return rows;
  }
  throw new RequestError('invalid_parameter', { param: 'from', details: { allowed: ['fewer days'] } });
}
