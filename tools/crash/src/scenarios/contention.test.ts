import { type NanoUsd, parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { NewAccount, TestBudget, TestKey } from '../accounts.js';
import { awayFromMidnight } from '../away-from-midnight.js';
import { engineSuite } from '../engine-suite.js';
import type { GatewayProcess } from '../gateway-process.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, PRICE_NANOS } from '../upstream-dialects.js';

/** By hand: rounds with three processes each. */
const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 0);
const PROCESSES = ROUNDS > 0 ? 3 : 4;
const CALLS = 200;
const ROOM = 10;
const BUDGET: NanoUsd = BigInt(ROOM * PRICE_NANOS);
const PLENTY = parseUsd('1000');
const TEAM: TestBudget = { id: 'team', limit: BUDGET, limitReset: null };
const ROOMY: readonly TestBudget[] = [
  { id: 'project', limit: PLENTY, limitReset: 'monthly' },
  { id: 'user', limit: PLENTY, limitReset: null },
];

/** Four keys share each budget. */
const BUDGETS: Readonly<Record<string, Omit<NewAccount, 'id'>>> = {
  credits: { credits: BUDGET },
  limit: { credits: PLENTY, limit: BUDGET },
  'daily-limit': { credits: PLENTY, limit: BUDGET, limitReset: 'daily' },
  budget: { credits: PLENTY, budgets: [TEAM] },
  'daily-budget': { credits: PLENTY, budgets: [{ ...TEAM, limitReset: 'daily' }] },
  'third-budget': { credits: PLENTY, budgets: [...ROOMY, TEAM] },
};

await engineSuite(`${PROCESSES} processes with room for 10`, (engine) => {
  it('answer exactly 10 of 200 parallel calls for any budget', { timeout: 150_000 * (ROUNDS || 1) }, async () => {
    await awayFromMidnight();
    await onStage({ engine }, async (stage) => {
      // All find an empty ledger and migrate it at once.
      const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()));
      for (let round = 0; round < (ROUNDS || 1); round += 1) {
        for (const [name, budget] of Object.entries(BUDGETS)) {
          const id = `${name}-${round}`;
          const keys = [await stage.account({ id, ...budget })];
          while (budget.budgets && keys.length < 4) keys.push(await stage.account({ id, ...budget }));
          const callsBefore = stage.upstream.calls.length;
          const counts = await askAllAtOnce(stage, gateways, keys);
          const upstream = stage.upstream.calls.length - callsBefore;
          expect({ id, ...counts, upstream }).toEqual({ id, 200: ROOM, refused: CALLS - ROOM, upstream: ROOM });
        }
      }
      const { problems, organizationTotals } = await stage.check();
      expect(problems).toEqual({});
      for (const totals of organizationTotals.values()) expect(totals).toMatchObject({ usage: BUDGET, held: 0n });
    });
  });
});

/** @returns the number of calls by status; all refusals for lack of money together. */
async function askAllAtOnce(stage: Stage, gateways: readonly GatewayProcess[], keys: readonly TestKey[]) {
  const statuses = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const gateway = gateways[index % gateways.length] as GatewayProcess;
      // The keys change with every round of the gateways: each gateway serves each key.
      const key = keys[Math.floor(index / gateways.length) % keys.length] as TestKey;
      const outcome = await stage.call(gateway, { key, question: `${key.id} #${index}`, model: FLAT });
      if (outcome.status === 'answered') return 200;
      const isRefused = outcome.status === 'refused' && (outcome.code === 402 || outcome.code === 429);
      return isRefused ? 'refused' : JSON.stringify(outcome);
    }),
  );
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
