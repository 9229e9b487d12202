import assert from 'node:assert/strict';
import { type Ledger, LIMIT_RESETS, type LimitReset, limitWindowAt, MAX_NANO_USD } from '@searchgate/core/ledger';
import * as fc from 'fast-check';
import { assertRefused } from '../assert-refused.js';
import {
  accountOf,
  budgetIn,
  createLedgerModel,
  expectedOf,
  type LedgerModel,
  organizationOf,
  usageOf,
} from './ledger-model.js';
import type { LedgerSuite, LedgerUnderTest } from './ledger-suite.js';
import { allEntries, assertKey, assertOrganization, assertWindows, sortedById, untimedLog } from './observe.js';
import { assertUsage, assertUsageOfLog } from './observe-usage.js';
import { BUDGETS, KEYS, ORGANIZATIONS, type RandomHistory, randomHistories } from './random-steps.js';
import { grantOf, holdOf } from './requests.js';
import { take } from './steps.js';

/** How long before the end of a window a history starts. */
const BEFORE_THE_END_MS = 60 * 60_000;

const DAY_MS = 86_400_000;

/** Base of all expiries in random histories; fixed, so that a failing history can be replayed. 2100-01-01. */
const START_MS = Date.UTC(2100, 0, 1);

/**
 * Applies the steps in order to the ledger and to the model, and compares every answer. Steps use the handles in turn; halfway the ledger is
 * reopened if possible. If the clock can be moved, windows end in between.
 */
async function assertLikeModel(
  under: LedgerUnderTest,
  suite: LedgerSuite,
  { startsBefore, steps }: RandomHistory,
): Promise<void> {
  const { now } = under;
  const model = createLedgerModel(now);
  const wait = async (ms: number) => (suite.supports.clock === true ? under.advance?.(ms) : undefined);
  await wait(Math.max(0, limitWindowAt(startsBefore, now()).resetsAtMs - now() - BEFORE_THE_END_MS));
  let handles = [under.ledger];
  if (suite.supports.connections === true && under.connect !== undefined) handles.push(await under.connect());
  for (const [index, { step, malformed, waitMs = 0 }] of steps.entries()) {
    if (index === steps.length >> 1 && suite.supports.reopen === true && under.reopen !== undefined) {
      handles = [await under.reopen()];
    }
    const ledger = handles[index % handles.length] ?? under.ledger;
    if (waitMs > 0) await wait(waitMs);
    const expected = malformed === undefined ? expectedOf(model, step) : { refusal: malformed };
    assert.deepEqual(await take(ledger, step), expected, `step ${index} (${step.operation})`);
  }
  await assertSameState(handles[0] ?? under.ledger, model);
}

async function assertSameState(ledger: Ledger, model: LedgerModel): Promise<void> {
  for (const id of ORGANIZATIONS) {
    await assertOrganization(ledger, organizationOf(model, id), id);
    await assertBudgets(ledger, model, id);
  }
  for (const id of KEYS) {
    await assertKey(ledger, accountOf(model, id), id);
    const usageIn = (reset: LimitReset) => usageOf(model, id, reset);
    await assertWindows(
      ledger,
      { daily: usageIn('daily'), weekly: usageIn('weekly'), monthly: usageIn('monthly') },
      id,
    );
  }
  const log = await untimedLog(ledger);
  for (const expected of model.log) {
    assert.deepEqual(sortedById(log.splice(0, expected.length)), sortedById(expected));
  }
  assert.deepEqual(log, [], 'entries of no step');
  await assertSums(ledger);
}

async function assertBudgets(ledger: Ledger, model: LedgerModel, organizationId: string): Promise<void> {
  for (const limitReset of [null, ...LIMIT_RESETS]) {
    const asked = BUDGETS.map((id) => ({ id, limitReset }));
    const expected = BUDGETS.map((id) => {
      const account = budgetIn(organizationId, id);
      const resetsAtMs = limitReset && limitWindowAt(limitReset, model.now()).resetsAtMs;
      return { ...accountOf(model, account), windowUsage: usageOf(model, account, limitReset), resetsAtMs };
    });
    const totals = (await ledger.budgetTotals(organizationId, asked)).map((each) => ({ ...each }));
    assert.deepEqual(totals, expected, `${limitReset} totals of the budgets of ${organizationId}`);
  }
}

/** Checks the sums of all days, and of the log's second day to its last but one. */
async function assertSums(ledger: Ledger): Promise<void> {
  const entries = await allEntries(ledger);
  await assertUsageOfLog(ledger, entries);
  const days = [...new Set(entries.map(({ atMs }) => Math.floor(atMs / DAY_MS)))].sort((a, b) => a - b);
  const range = { fromDay: days[1] ?? 0, toDay: days.at(-1) ?? 0 };
  for (const by of ['key', 'day'] as const) await assertUsage(ledger, entries, { by, ...range });
}

/**
 * Random histories: for any sequence of steps, including malformed arguments, repeated ids and operations on ended holds, every answer, counter and
 * entry matches the contract. Also: every id and amount that the contract allows is returned unchanged, and every other is refused.
 */
export function registerRandomHistories(suite: LedgerSuite): void {
  suite.describe('random histories', () => {
    suite.property('answers every step as the contract does', async ({ runs, withLedger }) => {
      const histories = fc.asyncProperty(randomHistories(START_MS), (history) =>
        withLedger((under) => assertLikeModel(under, suite, history)),
      );
      await fc.assert(histories, { numRuns: runs });
    });

    suite.property('takes any well-formed id and amount as it is', async ({ runs, withLedger }) => {
      const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
      const id = fc.string({ unit: character, minLength: 1, maxLength: 128 }).filter((text) => !/^\.{1,2}$/.test(text));
      const amount = fc.bigInt({ min: 0n, max: MAX_NANO_USD });
      const values = fc.asyncProperty(id, id, amount, (organizationId, keyId, granted) =>
        withLedger(async ({ ledger }) => {
          await ledger.grant(grantOf({ grantId: keyId, organizationId, amount: granted }));
          await ledger.hold(
            holdOf({ holdId: organizationId, organizationId, keyId, amount: granted, keyLimit: granted }),
          );
          await assertOrganization(ledger, { credits: granted, held: granted }, organizationId);
          await assertKey(ledger, { held: granted }, keyId);
          const [entry, ...others] = await allEntries(ledger, { organizationId });
          assert.deepEqual([entry?.id, entry?.organizationId, entry?.amount], [keyId, organizationId, granted]);
          assert.deepEqual(others, []);
        }),
      );
      await fc.assert(values, { numRuns: runs });
    });

    suite.property('refuses any malformed id and amount', async ({ runs, withLedger }) => {
      const character = fc.nat(0xffff).map((code) => String.fromCharCode(code));
      const anything = fc.string({ unit: character, maxLength: 8 }).filter((id) => !/^[\x21-\x7e]+$/.test(id));
      const tooLong = fc.integer({ min: 129, max: 200 }).map((length) => 'x'.repeat(length));
      const malformedId = fc.oneof(anything, tooLong);
      const tooMuch = fc.bigInt({ min: MAX_NANO_USD + 1n, max: MAX_NANO_USD * 4n });
      const amount = fc.oneof(
        tooMuch,
        tooMuch.map((value) => -value),
        fc.bigInt({ min: -9n, max: -1n }),
      );
      await withLedger(async ({ ledger }) => {
        const values = fc.asyncProperty(malformedId, amount, async (id, wrong) => {
          await assertRefused('invalid_id', () => ledger.grant(grantOf({ organizationId: id })));
          await assertRefused('invalid_id', () => ledger.hold(holdOf({ keyId: id })));
          await assertRefused('invalid_amount', () => ledger.grant(grantOf({ amount: wrong })));
          await assertRefused('invalid_amount', () => ledger.hold(holdOf({ amount: wrong })));
        });
        await fc.assert(values, { numRuns: runs });
        assert.deepEqual(await allEntries(ledger), []);
      });
    });
  });
}
