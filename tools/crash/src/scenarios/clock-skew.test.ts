import { parseUsd } from '@searchgate/core';
import { BUDGET_IDLE_DAYS } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import { awayFromMidnight } from '../away-from-midnight.js';
import { engineSuite } from '../engine-suite.js';
import { type Engine, SERVER_ENGINES } from '../engines.js';
import type { GatewayProcess } from '../gateway-process.js';
import { type NewGateway, onStage, type Stage } from '../stage.js';
import { FLAT, PRICE_NANOS } from '../upstream-dialects.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PLENTY = parseUsd('1000');
/** A hold lives for 90 s: the model's deadline plus the grace. A scenario takes far less than half a minute. */
const CALL = { answerTimeoutMs: 30_000, holdGraceMs: 60_000 };
const BEFORE_EXPIRY_MS = 60_000;
const AFTER_EXPIRY_MS = 120_000;

const PRICE = BigInt(PRICE_NANOS);
/** A budget that is known from its calls is forgotten after so long. */
const IDLE_MS = (BUDGET_IDLE_DAYS + 1) * DAY_MS;
const DAILY = { limit: 3n * PRICE, limitReset: 'daily' } as const;
/** Accounts with room for three calls a day, and the reason of a refusal. */
const DAYS = [
  ['limit', DAILY, 'key_limit_reached'],
  ['budget', { budgets: [{ id: 'team', ...DAILY }] }, 'budget_exceeded'],
] as const;

const serverSuite = (engine: Engine): void => {
  it('do not end each other’s live holds, nor take over claims', { timeout: 120_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const gateways = await startSkewed(stage, [-2 * HOUR_MS, 0, 2 * HOUR_MS]);
      const calls = gateways.map((_, index) => ({
        key,
        question: `${key.id} #${index}`,
        model: FLAT,
        idempotencyKey: `order-${index}`,
      }));
      const open = calls.map(({ question }) => stage.upstream.hold(question));
      const pending = gateways.map((gateway, index) => stage.call(gateway, calls[index]!));
      await Promise.all(calls.map(({ question }) => stage.upstream.asked(question)));

      for (const gateway of gateways) {
        expect(await gateway.expireHolds()).toBe(0);
        for (const call of calls) expect(await stage.call(gateway, call)).toMatchObject({ code: 409 });
      }
      for (const answer of open) answer();
      for (const outcome of await Promise.all(pending)) expect(outcome).toMatchObject({ status: 'answered' });

      const { problems, charges } = await stage.check();
      expect(problems).toEqual({});
      expect(charges.map(({ late }) => late)).toEqual([false, false, false]);
    });
  });

  it('leave holds that expire on time after a kill', { timeout: 120_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const gateways = await startSkewed(stage, [-2 * HOUR_MS, 2 * HOUR_MS]);
      const calls = gateways.map((_, index) => ({ key, question: `${key.id} #${index}`, model: FLAT }));
      const pending = gateways.map((gateway, index) => {
        stage.upstream.hold(calls[index]!.question);
        return stage.call(gateway, calls[index]!);
      });
      await Promise.all(calls.map(({ question }) => stage.upstream.asked(question)));
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await Promise.all(pending);

      expect(await stage.expireAfter(BEFORE_EXPIRY_MS)).toBe(0);
      expect(await stage.expireAfter(AFTER_EXPIRY_MS)).toBe(2);
      const { problems, charges, audit } = await stage.check();
      expect([problems, charges, audit.openHolds]).toEqual([{}, [], 0]);
    });
  });

  it.each(DAYS)('start no day of a %s early, and no day twice', { timeout: 120_000 }, async (kind, limits, reason) => {
    await awayFromMidnight();
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY, ...limits });
      const gateways = await startSkewed(stage, [-DAY_MS, 0, DAY_MS]);
      const ask = (index: number, question: string) =>
        stage.call(gateways[index]!, { key, question: `${key.id} ${question}`, model: FLAT });
      for (const index of gateways.keys()) {
        expect(await ask(index, `first ${index}`)).toMatchObject({ status: 'answered' });
      }
      for (const index of gateways.keys()) {
        expect(await ask(index, `second ${index}`)).toMatchObject({ code: 402, reason });
      }
      const { problems, keyTotals, budgetTotals } = await stage.check();
      expect(problems).toEqual({});
      // The engine's day; its clock is right.
      const resetsAtMs = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
      const totals = kind === 'limit' ? keyTotals.get(key.id) : budgetTotals.get('acme team');
      expect(totals).toEqual({ usage: DAILY.limit, windowUsage: DAILY.limit, held: 0n, resetsAtMs });
    });
  });
};

// Processes on one file share the clock of their machine, which is also the engine's. If that clock is set during a run:
const machineSuite = (engine: Engine): void => {
  it('charge every answer once, and mark it late if its hold ended early', { timeout: 120_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const gateways = await startSkewed(stage, [-2 * HOUR_MS, 2 * HOUR_MS]);
      const calls = gateways.map((_, index) => ({ key, question: `${key.id} #${index}`, model: FLAT }));
      const open = calls.map(({ question }) => stage.upstream.hold(question));
      const pending = gateways.map((gateway, index) => stage.call(gateway, calls[index]!));
      await Promise.all(calls.map(({ question }) => stage.upstream.asked(question)));
      const [behind, ahead] = gateways;
      expect([await behind?.expireHolds(), await ahead?.expireHolds()]).toEqual([0, 1]);
      for (const answer of open) answer();
      for (const outcome of await Promise.all(pending)) expect(outcome).toMatchObject({ status: 'answered' });

      const { problems, charges, audit } = await stage.check();
      expect(Object.keys(problems)).toEqual(['entriesAreStampedWithTheTrueTime']);
      expect(charges.filter(({ late }) => late)).toHaveLength(1);
      expect(charges).toHaveLength(2);
      expect(audit.openHolds).toBe(0);
    });
  });

  it.each(DAYS)('do not restart a day of a %s that was over', { timeout: 120_000 }, async (_, limits, reason) => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY, ...limits });
      const [today, tomorrow] = await startSkewed(stage, [0, DAY_MS]);
      const ask = (gateway: GatewayProcess | undefined, question: string) =>
        stage.call(gateway!, { key, question: `${key.id} ${question}`, model: FLAT });
      expect(await ask(tomorrow, 'the first of its day')).toMatchObject({ status: 'answered' });
      for (const question of ['second', 'third'])
        expect(await ask(today, question)).toMatchObject({ status: 'answered' });
      for (const gateway of [today, tomorrow])
        expect(await ask(gateway, 'fourth')).toMatchObject({ code: 402, reason });
      const { problems } = await stage.check();
      expect(Object.keys(problems)).toEqual(['entriesAreStampedWithTheTrueTime']);
    });
  });

  it('forget an idle budget after its last hold has ended, and count again', { timeout: 120_000 }, async () => {
    await onStage({ engine }, async (stage) => {
      const key = await stage.account({ id: 'acme', credits: PLENTY });
      const identityBudgets = [{ id: 'user', limit: '1', limitReset: 'daily' }] as const;
      const [doomed, later] = await startSkewed(stage, [0, IDLE_MS], { identityBudgets });
      const ask = (gateway: GatewayProcess | undefined, question: string) =>
        stage.call(gateway!, { key, question: `${key.id} ${question}`, model: FLAT });
      const figures = async () => {
        const [totals] = await stage.ledger.budgetTotals('acme', [{ id: 'user', limitReset: null }]);
        return [totals?.usage, totals?.held];
      };
      expect(await ask(doomed, 'first')).toMatchObject({ status: 'answered' });
      stage.upstream.hold(`${key.id} lost`);
      const lost = ask(doomed, 'lost');
      await stage.upstream.asked(`${key.id} lost`);
      await doomed?.kill();
      await lost;
      expect(await figures()).toEqual([PRICE, PRICE]);
      expect(await later?.expireHolds()).toBe(1);
      expect(await figures()).toEqual([0n, 0n]);
      expect(await ask(later, 'again')).toMatchObject({ status: 'answered' });
      expect(await figures()).toEqual([PRICE, 0n]);
      expect((await stage.ledger.audit()).differences).toEqual([]);
    });
  });
};

await engineSuite('processes whose clocks disagree', serverSuite, SERVER_ENGINES);
await engineSuite('processes of a machine whose clock is set', machineSuite, ['sqlite']);

function startSkewed(stage: Stage, offsetsMs: readonly number[], options: NewGateway = {}) {
  return Promise.all(offsetsMs.map((clockOffsetMs) => stage.start({ ...CALL, ...options, clockOffsetMs })));
}
