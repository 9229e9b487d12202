import { type NanoUsd, parseUsd } from '@searchgate/core';
import type { LimitReset } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import type { TestKey } from '../accounts.js';
import { awayFromMidnight } from '../away-from-midnight.js';
import { engineSuite } from '../engine-suite.js';
import type { GatewayProcess } from '../gateway-process.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, PRICE_NANOS } from '../upstream-dialects.js';

const PROCESSES = 4;
const CALLS = 200;
const ROOM = 10;
const BUDGET: NanoUsd = BigInt(ROOM * PRICE_NANOS);
const PLENTY = parseUsd('1000');

const BUDGETS: Readonly<Record<string, { credits: NanoUsd; limit?: NanoUsd; limitReset?: LimitReset }>> = {
  credits: { credits: BUDGET },
  limit: { credits: PLENTY, limit: BUDGET },
  'daily-limit': { credits: PLENTY, limit: BUDGET, limitReset: 'daily' },
};

await engineSuite('four processes with room for 10', (engine) => {
  it('answer exactly 10 of 200 parallel calls for either budget', { timeout: 150_000 }, async () => {
    await awayFromMidnight();
    await onStage({ engine }, async (stage) => {
      // All find an empty ledger and migrate it at once.
      const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()));
      for (const [name, budget] of Object.entries(BUDGETS)) {
        const key = await stage.account({ id: name, ...budget });
        const callsBefore = stage.upstream.calls.length;
        const counts = await askAllAtOnce(stage, gateways, key);
        const upstream = stage.upstream.calls.length - callsBefore;
        expect({ name, ...counts, upstream }).toEqual({ name, 200: ROOM, refused: CALLS - ROOM, upstream: ROOM });
      }
      const { problems, organizationTotals } = await stage.check();
      expect(problems).toEqual({});
      expect([...organizationTotals.values()].map(({ usage, held }) => [usage, held])).toEqual([
        [BUDGET, 0n],
        [BUDGET, 0n],
        [BUDGET, 0n],
      ]);
    });
  });
});

/** @returns the number of calls by status; all refusals for lack of money together. */
async function askAllAtOnce(stage: Stage, gateways: readonly GatewayProcess[], key: TestKey) {
  const statuses = await Promise.all(
    Array.from({ length: CALLS }, async (_, index) => {
      const gateway = gateways[index % gateways.length] as GatewayProcess;
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
