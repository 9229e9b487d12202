import type { TestKey } from './accounts.js';
import type { Stage } from './stage.js';

const PAUSE_MS = 20;
const ROUNDS_PER_AUDIT = 10;
const MAX_ROUNDS = 20_000;

/**
 * Reads the totals repeatedly while others spend: no budget may be exceeded at any moment, holds included, and no counter may differ from the
 * log. @returns the problems, at most one per key.
 */
export async function watchBudgets(stage: Stage, keys: readonly TestKey[], isOver: () => boolean): Promise<string[]> {
  const seen = new Set<string>();
  for (let round = 0; !isOver() && round < MAX_ROUNDS; round += 1) {
    for (const key of keys)
      if (await isExceeded(stage, key)) seen.add(`the budget of ${key.organizationId} is exceeded`);
    if (round % ROUNDS_PER_AUDIT === 0) {
      const { differences } = await stage.ledger.audit();
      for (const { subject, counter } of differences) seen.add(`the audit found ${counter} of ${subject} to differ`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return [...seen];
}

async function isExceeded({ ledger }: Stage, key: TestKey): Promise<boolean> {
  const { id, organizationId, limit, limitReset } = key;
  const { credits, usage, held } = await ledger.organizationTotals(organizationId);
  if (usage + held > credits) return true;
  const named = key.budgets.flat();
  const limits = limit === null ? named : [...named, { limit, limitReset }];
  const totals = named.length === 0 ? [] : [...(await ledger.budgetTotals(organizationId, named))];
  if (limit !== null) totals.push(await ledger.keyTotals(id, limitReset));
  return totals.some((each, index) => each.windowUsage + each.held > (limits[index]?.limit ?? 0n));
}
