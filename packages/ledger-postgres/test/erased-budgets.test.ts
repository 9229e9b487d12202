import { expect, it } from 'vitest';
import { fillTables } from './filled-tables.js';
import { migratedDatabase } from './migrated-database.js';
import { ALL_SUMS, LOGGED } from './requests.js';

const database = migratedDatabase();
const CALLS = 2_500;

it('takes a budget out of more calls than one transaction changes, beside calls that come and go', async () => {
  await fillTables(database(), { from: 1, to: CALLS });
  const { requests } = database().ledger();
  const countOf = async () => {
    const [row] = await database().run(
      `SELECT count(*)::int4 AS calls, (count(*) FILTER (WHERE organization_id = 'large' AND 'budget-3' = ANY (budgets)))::int4 AS named FROM searchgate.requests`,
    );
    return row as { readonly calls: number; readonly named: number };
  };
  const before = await countOf();
  const [erased, pruned] = await Promise.all([
    requests.eraseBudget('large', 'budget-3'),
    requests.prune({ beforeMs: 0, maxRows: CALLS - 500, ...ALL_SUMS }),
    ...Array.from({ length: 20 }, (_, at) => requests.append([{ ...LOGGED, requestId: `new_${at}` }])),
  ]);
  expect(pruned).toBeGreaterThan(0);
  expect(erased).toBeLessThanOrEqual(before.named);
  expect(erased).toBeGreaterThan(0);
  expect(await countOf()).toEqual({ calls: before.calls + 20 - Number(pruned), named: 0 });
});
