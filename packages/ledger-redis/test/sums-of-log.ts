import {
  addEntry,
  dateOfDay,
  type Ledger,
  noUsage,
  type UsageGroup,
  usageDimensionsOf,
  usageGroupsOf,
} from '@searchgate/core/ledger';
import { expect } from 'vitest';

const GROUPS: readonly UsageGroup[] = ['organization', 'key', 'budget', 'model', 'tag', 'day'];

/** Expects the sums of everything to be what the log adds up to, which fits one page. */
export async function expectSumsOfLog(ledger: Ledger): Promise<void> {
  const pages = [await ledger.entries({ limit: 1_000 })];
  for (let cursor = pages[0]?.nextCursor ?? null; cursor !== null; cursor = pages.at(-1)?.nextCursor ?? null) {
    pages.push(await ledger.entries({ limit: 1_000, cursor }));
  }
  const entries = pages.flatMap((page) => page.entries);
  for (const by of GROUPS) {
    const sums = new Map<string, ReturnType<typeof noUsage>>();
    for (const entry of entries) {
      const of = usageDimensionsOf(entry);
      if (of === undefined) continue;
      for (const group of by === 'day' ? [dateOfDay(of.day)] : usageGroupsOf(by, of)) {
        const total = sums.get(group) ?? noUsage();
        addEntry(total, entry);
        sums.set(group, total);
      }
    }
    const rows = await ledger.usage({ by, limit: 1_000 });
    expect(new Map(rows.map(({ group, ...total }) => [group ?? '', total]))).toEqual(sums);
  }
}
