import { LedgerError } from '../base/errors/ledger-error.js';
import { dayOf } from '../base/time/clock.js';
import type { Ledger } from '../ledger/ledger.js';
import { type UsageQuery } from '../ledger/usage.js';
import type { StatementQuery, StatementRow } from './administration.js';
import { LARGEST_PAGE } from './pages.js';
import { checkFields, checkOrder, readDay } from './read-arguments.js';

const MAX_PAGES = 100;

/** Reads the sums of a ledger, page by page. */
export async function readStatement(ledger: Ledger, query: StatementQuery): Promise<readonly StatementRow[]> {
  checkFields('statement', query, ['by', 'organizationId', 'keyId', 'from', 'to']);
  const usageQuery = usageQueryOf(query);
  const rows: StatementRow[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const last = rows.at(-1)?.group;
    const found = await ledger.usage({ ...usageQuery, ...(last != null && { after: last }) });
    rows.push(...found);
    // The row without a group is the last row.
    if (found.length < LARGEST_PAGE || found.at(-1)?.group === null) return rows;
  }
  const most = LARGEST_PAGE * MAX_PAGES;
  const detail = `statement: more than ${most} groups; ask for one organization or fewer days`;
  throw new LedgerError('invalid_argument', detail);
}

function usageQueryOf({ by, organizationId, keyId, from, to }: StatementQuery): UsageQuery {
  const fromDay = from === undefined ? undefined : dayOf(readDay('from', from));
  const toDay = to === undefined ? undefined : dayOf(readDay('to', to));
  checkOrder(['from', from], ['to', to]);
  return { by, limit: LARGEST_PAGE, organizationId, keyId, fromDay, toDay };
}
