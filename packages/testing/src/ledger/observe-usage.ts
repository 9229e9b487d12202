import assert from 'node:assert/strict';
import { type Ledger, type LedgerEntry, USAGE_GROUPS, type UsageQuery, type UsageRow } from '@searchgate/core/ledger';
import { allEntries } from './observe.js';
import { sumsOfLog } from './usage-model.js';

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
    // What has no group comes last.
    if (page.length < limit || page.at(-1)?.group === null) return rows;
  }
}

/** Asserts that the sums of a query are what the log adds up to. */
export async function assertUsage(ledger: Ledger, log: readonly LedgerEntry[], query: UsageQuery): Promise<void> {
  assert.deepEqual(await allUsage(ledger, query), sumsOfLog(log, query), `usage ${JSON.stringify(query)}`);
}

/** Asserts that all sums there are, and those of each organization and key, are what the log adds up to. */
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

/** A row in which what is left out is zero. */
export function rowOf(group: string | null, sums: Partial<UsageRow>): UsageRow {
  return { group, ...NOTHING, ...sums };
}
