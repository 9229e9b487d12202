import { type NanoUsd, parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import type { TestBudget, TestKey } from '../accounts.js';
import type { Call } from '../ask.js';
import { awayFromMidnight } from '../away-from-midnight.js';
import { engineSuite } from '../engine-suite.js';
import { keepAsking } from '../keep-asking.js';
import { killInRotation, type Rotation } from '../kill-rotation.js';
import type { CheckedLedger } from '../ledger-check/check-ledger.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, METERED, PRICE_NANOS } from '../upstream-dialects.js';
import { watchBudgets } from '../watch-budgets.js';

const KILLS = 52;
const PROCESSES = 4;
const MOST_CALLS = 120;
/** Every gateway constantly looks for expired holds and must find none: abandoned holds outlive the scenario. */
const SWEEP_MS = 100;
const CALLERS = 24;
const MAX_CALLS = 200_000;
const TRIES_WITH_KEY = 3;
const AN_HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');
const FEW: NanoUsd = BigInt(150 * PRICE_NANOS);
const ROOMY: TestBudget = { id: 'everyone', limit: PLENTY, limitReset: 'weekly' };
const TEAM: TestBudget = { id: 'team', limit: FEW, limitReset: 'daily' };

await engineSuite(`${KILLS} gateways killed under load`, (engine) => {
  it('lose no charge, charge nothing twice, and release their holds', { timeout: 180_000 }, async () => {
    await awayFromMidnight();
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
      const { busy, limited, sharing } = await openAccounts(stage);
      expect(await killUnderLoad(stage, busy, [...limited, ...sharing])).toEqual([]);

      const leftBehind = await stage.check();
      expect(leftBehind.problems).toEqual({});
      tell(stage, leftBehind);
      expect(leftBehind.audit.openHolds).toBeGreaterThan(0);

      expect(await stage.expireAfter(AN_HOUR_MS)).toBe(leftBehind.audit.openHolds);
      await spendTheRest(stage, [...limited, ...sharing]);
      const { problems, audit, organizationTotals, keyTotals, budgetTotals } = await stage.check();
      expect(problems).toEqual({});
      expect(audit.openHolds).toBe(0);
      expect(organizationTotals.get('few-credits')).toEqual({ credits: FEW, usage: FEW, held: 0n });
      const spent = limited.map(({ id }) => keyTotals.get(id)?.windowUsage);
      expect(spent).toEqual([FEW, FEW, FEW]);
      expect(budgetTotals.get('sharing team')).toMatchObject({ windowUsage: FEW, held: 0n });
    });
  });
});

/** Two keys that never run out, for load until the end, three that do, and two that run out of a budget they share. */
async function openAccounts(stage: Stage) {
  const busy = [
    await stage.account({ id: 'busy', credits: PLENTY, budgets: [ROOMY] }),
    await stage.account({ id: 'busy', credits: PLENTY, limit: PLENTY, limitReset: 'monthly', budgets: [ROOMY] }),
  ];
  const limited = [
    await stage.account({ id: 'few-credits', credits: FEW }),
    await stage.account({ id: 'limited', credits: PLENTY, limit: FEW }),
    await stage.account({ id: 'limited-daily', credits: PLENTY, limit: FEW, limitReset: 'daily' }),
  ];
  const shared = { id: 'sharing', credits: PLENTY, budgets: [ROOMY, TEAM] };
  const sharing = [await stage.account(shared), await stage.account(shared)];
  return { busy, limited, sharing };
}

/** @returns all problems seen during the load. */
async function killUnderLoad(stage: Stage, busy: TestKey[], limited: TestKey[]): Promise<string[]> {
  const { random } = stage;
  const rotation = killInRotation({
    slots: PROCESSES,
    kills: KILLS,
    mostCalls: MOST_CALLS,
    random,
    start: () => stage.start({ expireHoldsEveryMs: SWEEP_MS }),
  });
  let calls = 0;
  const askOnce = async () => {
    calls += 1;
    const key = random.chance(0.7) ? random.pick(busy) : random.pick(limited);
    const model = busy.includes(key) && random.chance(0.5) ? METERED : FLAT;
    const repeatable = random.chance(0.5) && { idempotencyKey: `call-${calls}` };
    await askUntilKnown(stage, rotation, { key, model, question: `${key.id} #${calls}`, ...repeatable });
  };
  const isOver = () => rotation.isOver();
  const [seen] = await Promise.all([
    watchBudgets(stage, [...busy, ...limited], isOver),
    keepAsking({ callers: CALLERS, maxCalls: MAX_CALLS, isOver, askOnce }),
    rotation.finished,
  ]);
  return seen;
}

/** A caller repeats a lost call if it has an idempotency key. */
async function askUntilKnown(stage: Stage, rotation: Rotation, call: Call): Promise<void> {
  for (let tries = call.idempotencyKey === undefined ? 1 : TRIES_WITH_KEY; tries > 0; tries -= 1) {
    const gateway = await rotation.any().catch(() => undefined);
    if (gateway === undefined) return;
    const { status } = await stage.call(gateway, call);
    if (status !== 'lost') return;
  }
}

/** Every budget can be spent to the last nanodollar: no hold of a killed gateway is lost. */
async function spendTheRest(stage: Stage, limited: readonly TestKey[]): Promise<void> {
  const gateway = await stage.start();
  for (const key of limited) {
    for (let index = 0; index <= Number(FEW) / PRICE_NANOS; index += 1) {
      const outcome = await stage.call(gateway, { key, question: `${key.id} rest ${index}`, model: FLAT });
      if (outcome.status === 'answered') continue;
      expect(outcome).toMatchObject({ status: 'refused', code: 402 });
      break;
    }
  }
  await gateway.stop();
}

function tell({ engine, journal, upstream }: Stage, { charges, audit }: CheckedLedger): void {
  const delivered = new Set(journal.acknowledged.map(({ id }) => id));
  const unseen = charges.filter(({ id }) => !delivered.has(id)).length;
  console.log(
    `${engine.name}: ${KILLS} kills, ${journal.calls} calls, ${upstream.calls.length} upstream, ${delivered.size} answers delivered, ` +
      `${journal.lost.length} lost, ${unseen} charged and not seen, ${audit.openHolds} holds left behind; ` +
      [...journal.refusals].map(([refusal, times]) => `${times} × ${refusal}`).join(', '),
  );
}
