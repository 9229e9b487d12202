import {
  addEntry,
  dayOf,
  type LedgerEntry,
  type MutableSums,
  noUsage,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
} from '@searchgate/core/ledger';
import { expect } from 'vitest';
import type { SqliteLedger } from '../src/index.js';

const GROUPS: readonly UsageGroup[] = ['organization', 'key', 'budget', 'model', 'tag', 'day'];

/** What the log adds up to, in the order of the groups. */
function sumsOfLog(log: readonly LedgerEntry[], query: UsageQuery): UsageRow[] {
  const { by, organizationId, keyId, budget, fromDay, toDay } = query;
  const groups = new Map<string, MutableSums>();
  for (const entry of log) {
    const day = dayOf(entry.atMs);
    if (entry.kind === 'expired' || day < (fromDay ?? 0) || day >= (toDay ?? Infinity)) continue;
    if ((organizationId ?? entry.organizationId) !== entry.organizationId || (keyId ?? entry.keyId) !== entry.keyId)
      continue;
    const budgets = ('budgets' in entry ? entry.budgets : undefined) ?? [];
    if (budget !== undefined && !budgets.includes(budget)) continue;
    const named = by === 'budget' && budgets.length > 0 ? budgets : [groupOf(entry, by) ?? ''];
    for (const group of named) {
      const sums = groups.get(group) ?? noUsage();
      groups.set(group, sums);
      addEntry(sums, entry);
    }
  }
  const named = [...groups.keys()].filter((group) => group !== '').sort();
  const ordered = groups.has('') ? [...named, ''] : named;
  return ordered.map((group) => ({ group: group === '' ? null : group, ...(groups.get(group) ?? noUsage()) }));
}

function groupOf(entry: LedgerEntry, by: UsageGroup): string | null | undefined {
  switch (by) {
    case 'organization':
      return entry.organizationId;
    case 'key':
      return entry.keyId;
    case 'model':
      return 'model' in entry ? entry.model : null;
    case 'budget':
      return null;
    case 'tag':
      return 'tag' in entry ? entry.tag : null;
    case 'day':
      return new Date(entry.atMs).toISOString().slice(0, 10);
  }
}

export async function allEntries(ledger: SqliteLedger): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await ledger.entries({ limit: 1_000, ...(cursor !== undefined && { cursor }) });
    entries.push(...page.entries);
    cursor = page.nextCursor;
  }
  return entries;
}

/** Expects the sums of these queries, each by every group, to be what the log adds up to. */
export async function expectSumsOfLog(
  ledger: SqliteLedger,
  log: readonly LedgerEntry[],
  queries: readonly Omit<UsageQuery, 'by'>[] = [{}],
): Promise<void> {
  for (const query of queries) {
    for (const by of GROUPS) {
      const rows = await ledger.usage({ by, limit: 1_000, ...query });
      expect({ by, query, rows }).toEqual({ by, query, rows: sumsOfLog(log, { by, ...query }) });
    }
  }
}
