import { RequestError } from '../base/errors/request-error.js';
import type { Logger } from '../base/events/logger.js';
import type { Ledger } from '../ledger/ledger.js';
import type { UsageQuery, UsageRow } from '../ledger/usage.js';
import { readTotals } from './read-totals.js';

export type { UsageRow };

/** The part of a usage query that the caller chooses. */
export type AskedUsage = Pick<UsageQuery, 'by' | 'fromDay' | 'toDay'>;

interface ReadUsageDeps {
  readonly ledger: Pick<Ledger, 'usage'>;
  readonly logger: Logger;
}

const LARGEST_PAGE = 1_000;
const MAX_PAGES = 10;

/**
 * Reads at most {@link MAX_PAGES} pages. Days and models of a key need far fewer; tags, which callers choose, may exceed the limit.
 *
 * @throws RequestError `ledger_unavailable`, and `invalid_parameter` when there are more rows.
 */
export async function readUsage({ ledger, logger }: ReadUsageDeps, query: UsageQuery): Promise<readonly UsageRow[]> {
  const rows: UsageRow[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const after = rows.at(-1)?.group ?? undefined;
    const found = await readTotals(ledger.usage({ ...query, limit: LARGEST_PAGE, after }), logger);
    rows.push(...found);
    if (found.length < LARGEST_PAGE || found.at(-1)?.group === null) return rows;
  }
  throw new RequestError('invalid_parameter', { param: 'from', details: { allowed: ['fewer days'] } });
}
