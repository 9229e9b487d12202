import type { EntryQuery, Ledger } from '../ledger/ledger.js';
import type { LedgerEntry } from '../ledger/ledger-entry.js';
import { refusal } from '../options/check-argument.js';
import type { StatementQuery, StatementRow } from './administration.js';
import { checkFields, readDate } from './read-arguments.js';

const LARGEST_PAGE = 1_000;

type Sums = { -readonly [K in Exclude<keyof StatementRow, 'group'>]: StatementRow[K] };

/** What each kind of statement groups an entry under; `null` where the entry has none. */
const GROUPS: Record<StatementQuery['by'], (entry: LedgerEntry) => string | null> = {
  organization: ({ organizationId }) => organizationId,
  key: ({ keyId }) => keyId,
  model: (entry) => ('model' in entry ? entry.model : null),
  day: ({ atMs }) => new Date(atMs).toISOString().slice(0, 'yyyy-mm-dd'.length),
};

/** Sums up the entries of a ledger, page by page, so that only the groups are ever in memory. */
export async function readStatement(ledger: Ledger, query: StatementQuery): Promise<readonly StatementRow[]> {
  checkFields('statement', query, ['by', 'organizationId', 'keyId', 'from', 'to']);
  const groupOf = Object.hasOwn(GROUPS, query.by) ? GROUPS[query.by] : undefined;
  if (groupOf === undefined) {
    throw refusal('invalid_argument', 'by', { found: query.by, expected: Object.keys(GROUPS).join(', ') });
  }
  const groups = new Map<string | null, Sums>();
  const entryQuery = entryQueryOf(query);
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await ledger.entries({ ...entryQuery, ...(cursor !== undefined && { cursor }) });
    for (const entry of page.entries) addEntry(groups, groupOf(entry), entry);
    cursor = page.nextCursor;
  }
  return [...groups].map(([group, sums]) => ({ group, ...sums })).sort(byGroup);
}

function entryQueryOf({ organizationId, keyId, from, to }: StatementQuery): EntryQuery {
  return {
    limit: LARGEST_PAGE,
    ...(organizationId !== undefined && { organizationId }),
    ...(keyId !== undefined && { keyId }),
    ...(from !== undefined && { fromMs: readDate('from', from) }),
    ...(to !== undefined && { toMs: readDate('to', to) }),
  };
}

function addEntry(groups: Map<string | null, Sums>, group: string | null, { kind, amount }: LedgerEntry): void {
  if (kind === 'expired') return; // What had been held moved no money.
  const sums = groups.get(group) ?? { charges: 0, charged: 0n, adjusted: 0n, granted: 0n, lost: 0n };
  groups.set(group, sums);
  if (kind === 'charge') {
    sums.charges += 1;
    sums.charged += amount;
  } else if (kind === 'adjustment') sums.adjusted += amount;
  else if (kind === 'grant') sums.granted += amount;
  else sums.lost += amount;
}

/** By the characters' codes, in any language; what has no group comes last. */
function byGroup({ group: a }: StatementRow, { group: b }: StatementRow): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}
