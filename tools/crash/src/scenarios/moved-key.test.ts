import { parseUsd } from '@searchgate/core';
import { expect, it } from 'vitest';
import { moveKey, type TestBudget } from '../accounts.js';
import { engineSuite } from '../engine-suite.js';
import { keepAsking } from '../keep-asking.js';
import { onStage } from '../stage.js';
import { FLAT } from '../upstream-dialects.js';

const PROCESSES = 3;
const CALLERS = 8;
const MAX_CALLS = 50_000;
const ANSWERS = 100;
/** Gateways cache a key for 5 s. */
const CACHED_MS = 5_500;
const PLENTY = parseUsd('1000');
const ALL: TestBudget = { id: 'all', limit: PLENTY, limitReset: null };
const OLD: TestBudget = { id: 'old', limit: PLENTY, limitReset: 'daily' };
const NEW: TestBudget = { id: 'team', limit: PLENTY, limitReset: 'monthly' };

await engineSuite('a key that is moved to another budget under load', (engine) => {
  it('takes no usage along, and counts in the new budget after 5 s', { timeout: 120_000 }, async () => {
    await onStage({ engine, answerDelayMs: (random) => random.between(0, 12) }, async (stage) => {
      const moved = await stage.account({ id: 'acme', credits: PLENTY, budgets: [ALL, OLD] });
      const other = await stage.account({ id: 'acme', credits: PLENTY, budgets: [ALL, NEW] });
      const gateways = await Promise.all(Array.from({ length: PROCESSES }, () => stage.start()));
      /** The charges of the moved key, by the moments of question and answer. */
      const charged = { before: [] as string[], between: [] as string[], after: [] as string[] };
      let moment: keyof typeof charged = 'before';
      let over = false;
      const askOnce = async () => {
        const asked = moment;
        const key = stage.random.pick([moved, other]);
        const question = `${key.id} #${stage.journal.calls} ${stage.random.next()}`;
        const outcome = await stage.call(stage.random.pick(gateways), { key, question, model: FLAT });
        if (outcome.status !== 'answered' || key !== moved) return;
        charged[asked === moment ? asked : 'between'].push(outcome.answer.id);
      };
      const load = keepAsking({ callers: CALLERS, maxCalls: MAX_CALLS, isOver: () => over, askOnce });
      await expect.poll(() => charged.before.length).toBeGreaterThan(ANSWERS);
      moment = 'between';
      await moveKey(stage.ledger, moved, [ALL, NEW]);
      await new Promise((resolve) => setTimeout(resolve, CACHED_MS));
      moment = 'after';
      await expect.poll(() => charged.after.length).toBeGreaterThan(ANSWERS);
      over = true;
      await load;

      const { problems, charges } = await stage.check();
      expect(problems).toEqual({});
      const budgets = new Map(charges.map((charge) => [charge.id, charge.budgets]));
      expect(new Set(charged.before.map((id) => budgets.get(id)?.join(' ')))).toEqual(new Set(['all old']));
      expect(new Set(charged.after.map((id) => budgets.get(id)?.join(' ')))).toEqual(new Set(['all team']));
      expect([...stage.journal.refusals, ...stage.journal.lost]).toEqual([]);
    });
  });
});
