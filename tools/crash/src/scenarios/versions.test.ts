import { join } from 'node:path';
import { formatUsd, parseUsd } from '@searchgate/core';
import { expect, inject, it } from 'vitest';
import type { openAccount, TestBudget, TestKey } from '../accounts.js';
import { awayFromMidnight } from '../away-from-midnight.js';
import { engineSuite } from '../engine-suite.js';
import { SERVER_ENGINES } from '../engines.js';
import { keepAsking } from '../keep-asking.js';
import { killInRotation, type Rotation } from '../kill-rotation.js';
import type { openLedger } from '../open-ledger.js';
import { onStage, type Stage } from '../stage.js';
import { FLAT, METERED, PRICE_NANOS } from '../upstream-dialects.js';

const KILLS = 24;
const PROCESSES = 4;
const MOST_CALLS = 120;
const CALLERS = 16;
const MAX_CALLS = 200_000;
const ANSWERS_BEFORE = 100;
const AN_HOUR_MS = 3_600_000;
const PLENTY = parseUsd('1000');
const PRICE = BigInt(PRICE_NANOS);
/** Brought by the newer gateways, unless their version has no budgets yet: then `CRASH_BUDGETS=none`. */
const BUDGETS: readonly TestBudget[] = [
  { id: 'team', limit: PLENTY, limitReset: 'monthly' },
  { id: 'user', limit: 250n * PRICE, limitReset: 'daily' },
].slice(process.env['CRASH_BUDGETS'] === 'none' ? 2 : 0) as TestBudget[];
const identityBudgets = BUDGETS.map(({ limit, ...budget }) => ({ ...budget, limit: formatUsd(limit) }));

/** Runs only with `CRASH_OTHER`, the checkout of an older version that can read the schema of this one. */
await engineSuite(
  `an older version, then gateways of both, ${KILLS} killed`,
  (engine) => {
    it('lose no charge, charge nothing twice, and have exact budgets', { timeout: 240_000 }, async () => {
      await awayFromMidnight();
      await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
        const older = await openOlder(stage);
        try {
          await askBoth(stage, older.keys);
          const leftBehind = await stage.check();
          expect(leftBehind.problems).toEqual({});
          // The older version ends the holds of both, and settles a hold of the newer.
          expect(await older.ledger.expireHolds(Date.now() + AN_HOUR_MS)).toBe(leftBehind.audit.openHolds);
          const { problems, audit, charges, budgetTotals } = await stage.check();
          expect(problems).toEqual({});
          expect(audit.openHolds).toBe(0);
          console.log(
            `${engine.name}: ${charges.length} charges, ${charges.filter(({ budgets }) => budgets).length} in budgets, ` +
              `${leftBehind.audit.openHolds} holds expired; ${JSON.stringify([...stage.journal.refusals])}`,
          );
          await settleByOlder(stage, older, budgetTotals.get('acme team')?.usage);
        } finally {
          await older.close();
        }
      });
    });
  },
  SERVER_ENGINES,
);

type Older = Awaited<ReturnType<typeof openOlder>>;

/** Opens the ledger and two accounts with the older version, in its schema. */
async function openOlder(stage: Stage) {
  const load = <Module>(name: string) => import(join(inject('otherWorkers'), name)) as Promise<Module>;
  const own = await load<{ openLedger: typeof openLedger }>('open-ledger.js');
  const accounts = await load<{ openAccount: typeof openAccount }>('accounts.js');
  const { ledger, close } = await own.openLedger(stage.location);
  await ledger.migrate();
  const keys: TestKey[] = [];
  for (const id of ['acme', 'globex']) {
    const key = await accounts.openAccount(ledger, { id, credits: PLENTY });
    // Calls of older gateways count in no budget.
    keys.push(stage.enlist({ ...key, budgets: [[], BUDGETS] }, PLENTY));
  }
  return { ledger, close, keys };
}

/** The older version serves alone; then the newer migrates under load, and gateways of both serve and are killed. */
async function askBoth(stage: Stage, keys: readonly TestKey[]): Promise<void> {
  const { random, journal } = stage;
  const first = await stage.start();
  const serving: { rotation?: Rotation } = {};
  const load = keepAsking({
    callers: CALLERS,
    maxCalls: MAX_CALLS,
    isOver: () => serving.rotation?.isOver() === true,
    async askOnce() {
      const gateway = random.chance(0.2) ? first : ((await serving.rotation?.any().catch(() => undefined)) ?? first);
      const key = random.pick(keys);
      const question = `${key.id} #${journal.calls} ${random.next()}`;
      await stage.call(gateway, { key, question, model: random.pick([FLAT, METERED]) });
    },
  });
  await expect.poll(() => journal.acknowledged.length).toBeGreaterThan(ANSWERS_BEFORE);
  const rotation = killInRotation({
    slots: PROCESSES,
    kills: KILLS,
    mostCalls: MOST_CALLS,
    random,
    start: () => stage.start(BUDGETS.length > 0 ? { identityBudgets } : {}),
  });
  serving.rotation = rotation;
  await Promise.all([load, rotation.finished]);
  await first.stop();
}

async function settleByOlder({ ledger }: Stage, older: Older, usage = 0n): Promise<void> {
  const budgets = BUDGETS.slice(0, 1).map((budget) => ({ ...budget, isKept: false }));
  const [{ id: keyId, organizationId }] = older.keys as [TestKey];
  const hold = { holdId: 'handed-over', organizationId, keyId, keyLimit: null, budgets, amount: 1n, model: FLAT };
  await ledger.hold({ ...hold, expiresAtMs: Date.now() + AN_HOUR_MS });
  await older.ledger.settle(hold.holdId, { cost: 1n, model: FLAT, provider: 'loopback', costSource: 'flat' });
  for (const totals of await ledger.budgetTotals(organizationId, budgets))
    expect(totals).toMatchObject({ usage: usage + 1n, held: 0n });
  expect((await ledger.audit()).differences).toEqual([]);
}
