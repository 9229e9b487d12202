import assert from 'node:assert/strict';
import {
  type Ledger,
  type LedgerEntry,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
} from '@searchgate/core/ledger';
import { allEntries } from './observe.js';

const DAY_MS = 86_400_000;

/** The group of an entry in each kind of statement; `null` for none. */
const GROUPS: Record<Exclude<UsageGroup, 'budget'>, (entry: LedgerEntry) => string | null> = {
  organization: ({ organizationId }) => organizationId,
  key: ({ keyId }) => keyId,
  model: (entry) => ('model' in entry && entry.model !== '' ? entry.model : null),
  tag: (entry) => ('tag' in entry ? (entry.tag ?? null) : null),
  day: ({ atMs }) => new Date(atMs).toISOString().replace(/T.*/, ''),
};

/** Of an entry: several only by budget. */
function groupsBy(by: UsageGroup): (entry: LedgerEntry) => readonly (string | null)[] {
  if (by !== 'budget') return (entry) => [GROUPS[by](entry)];
  return (entry) => ('budgets' in entry ? entry.budgets : undefined) ?? [null];
}

/** The sums of `usage`, computed from the whole log. Returns all groups, whatever the page. */
function sumsOfLog(log: readonly LedgerEntry[], query: UsageQuery): UsageRow[] {
  const groupsOf = groupsBy(query.by);
  const moved = log.filter((entry) => entry.kind !== 'expired' && isWanted(entry, query));
  const groups = [...new Set(moved.flatMap(groupsOf))];
  const named = groups.filter((group) => group !== null).sort(byBytes);
  const ordered = groups.includes(null) ? [...named, null] : named;
  return ordered.map((group) =>
    sumsOfGroup(
      group,
      moved.filter((entry) => groupsOf(entry).includes(group)),
    ),
  );
}

function sumsOfGroup(group: string | null, entries: readonly LedgerEntry[]): UsageRow {
  const charges = entries.filter((entry) => entry.kind === 'charge');
  const again = charges.filter(({ costSource }) => costSource === 'cached' || costSource === 'shared');
  const ofKind = (kind: LedgerEntry['kind']) => entries.filter((entry) => entry.kind === kind);
  return {
    group,
    charges: charges.length,
    charged: sum(charges.map(({ amount }) => amount)),
    cachedCharges: again.length,
    cached: sum(again.map(({ amount }) => amount)),
    upstreamCost: sum(charges.map(({ upstreamCost = 0n }) => upstreamCost)),
    adjusted: sum(ofKind('adjustment').map(({ amount }) => amount)),
    granted: sum(ofKind('grant').map(({ amount }) => amount)),
    lost: sum(ofKind('loss').map(({ amount }) => amount)),
  };
}

function isWanted(entry: LedgerEntry, { organizationId, keyId, budget, fromDay, toDay }: UsageQuery): boolean {
  const day = Math.floor(entry.atMs / DAY_MS);
  return (
    (organizationId === undefined || entry.organizationId === organizationId) &&
    (keyId === undefined || entry.keyId === keyId) &&
    (budget === undefined || groupsBy('budget')(entry).includes(budget)) &&
    (fromDay === undefined || day >= fromDay) &&
    (toDay === undefined || day < toDay)
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const MOST_PAGES = 10_000;

/** Every row of a query, page by page. */
export async function allUsage(ledger: Ledger, query: UsageQuery): Promise<UsageRow[]> {
  const { limit = 100 } = query;
  const rows: UsageRow[] = [];
  for (let pages = 1; ; pages += 1) {
    assert.ok(pages < MOST_PAGES, 'the pages of usage come to an end');
    const after = rows.at(-1)?.group;
    const page = await ledger.usage(after == null ? query : { ...query, after });
    assert.ok(page.length <= limit, 'no page has more rows than it may have');
    rows.push(...page.map((row) => ({ ...row })));
    // The row without a group comes last.
    if (page.length < limit || page.at(-1)?.group === null) return rows;
  }
}

/** Asserts that the sums of a query match the log. */
export async function assertUsage(ledger: Ledger, log: readonly LedgerEntry[], query: UsageQuery): Promise<void> {
  assert.deepEqual(await allUsage(ledger, query), sumsOfLog(log, query), `usage ${JSON.stringify(query)}`);
}

/** Asserts that all sums, in total and per organization and key, match the log. */
export async function assertUsageOfLog(ledger: Ledger, log?: readonly LedgerEntry[]): Promise<void> {
  const entries = log ?? (await allEntries(ledger));
  for (const by of USAGE_GROUPS) await assertUsage(ledger, entries, { by });
  for (const organizationId of new Set(entries.map((entry) => entry.organizationId))) {
    await assertUsage(ledger, entries, { by: 'tag', organizationId });
    await assertUsage(ledger, entries, { by: 'day', organizationId });
  }
  for (const keyId of new Set(entries.map((entry) => entry.keyId))) {
    if (keyId === null) continue;
    await assertUsage(ledger, entries, { by: 'model', keyId });
    await assertUsage(ledger, entries, { by: 'day', keyId });
    await assertUsage(ledger, entries, { by: 'budget', keyId });
  }
}

const NOTHING = {
  charges: 0,
  charged: 0n,
  cachedCharges: 0,
  cached: 0n,
  upstreamCost: 0n,
  adjusted: 0n,
  granted: 0n,
  lost: 0n,
};

/** A row with zero for omitted sums. */
export function rowOf(group: string | null, sums: Partial<UsageRow>): UsageRow {
  return { group, ...NOTHING, ...sums };
}
