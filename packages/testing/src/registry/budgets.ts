import assert from 'node:assert/strict';
import type { Budget, BudgetMode } from '@searchgate/core/ledger';
import { allPages } from '../all-pages.js';
import { assertRefused } from '../assert-refused.js';
import { BAD_AMOUNTS, BAD_IDS } from '../bad-values.js';
import { assertFound, assertNoChange, CREATED_AT_MS, hashOf, keyOf } from './records.js';
import type { RegistrySuite } from './registry-suite.js';

/** `team:research` of `acme`, 200 nanodollars a month, with the given changes. */
function budgetOf(changes: Partial<Budget> = {}): Budget {
  const limits = { limit: 200n, limitReset: 'monthly', mode: 'enforce' } as const;
  return { organizationId: 'acme', id: 'team:research', ...limits, createdAtMs: CREATED_AT_MS, ...changes };
}

/** Budgets: set, replaced, listed and deleted; keys name those that are set. */
export function registerBudgets({ describe, test }: RegistrySuite): void {
  describe('budgets', () => {
    test('sets and replaces a budget, also of an unknown organization', async ({ registry }) => {
      assert.equal(await registry.findBudget('acme', 'team:research'), undefined);
      assert.deepEqual(await registry.setBudget(budgetOf()), budgetOf());
      const changed = { limit: 0n, limitReset: null, mode: 'warn' } as const;
      assert.deepEqual(await registry.setBudget(budgetOf({ ...changed, createdAtMs: 5 })), budgetOf(changed));
      assert.deepEqual(await registry.findBudget('acme', 'team:research'), budgetOf(changed));
      assert.equal(await registry.findBudget('globex', 'team:research'), undefined);
    });

    test('lists the budgets of an organization, page by page', async ({ registry }) => {
      const own = ['c', 'a', 'b', 'd'].map((id, index) => budgetOf({ id, createdAtMs: CREATED_AT_MS + (index >> 1) }));
      for (const budget of [...own, budgetOf({ organizationId: 'globex' })]) await registry.setBudget(budget);
      const pages = await allPages((next) => registry.listBudgets('acme', { ...next, limit: 3 }));
      assert.deepEqual(
        pages.map(({ items }) => items.map(({ id }) => id)),
        [['a', 'c', 'b'], ['d']],
      );
    });

    test('gives a key the budgets that it names, as they are now', async ({ registry }) => {
      await registry.setBudget(budgetOf());
      await registry.setBudget(budgetOf({ id: 'user:ada', mode: 'warn' }));
      const key = keyOf({ budgets: ['user:ada', 'team:research'] });
      await registry.insertKey(key);
      await registry.setBudget(budgetOf({ id: 'user:ada', limit: 7n, limitReset: null }));
      const found = await registry.findByHash(key.hash);
      assert.deepEqual(found?.budgets, [
        { id: 'user:ada', limit: 7n, limitReset: null, mode: 'enforce', isKept: true },
        { id: 'team:research', limit: 200n, limitReset: 'monthly', mode: 'enforce', isKept: true },
      ]);
      assert.deepEqual((await registry.updateKey(key.id, { budgets: [] }))?.budgets, []);
      await assertFound(registry, keyOf());
    });

    test('refuses a key and a change that name a budget which is not set', async ({ registry }) => {
      await registry.setBudget(budgetOf({ organizationId: 'globex' }));
      await registry.insertKey(keyOf());
      await assertNoChange(registry, async () => {
        const budgets = ['team:research'];
        await assertRefused('unknown_budget', () =>
          registry.insertKey(keyOf({ id: 'new', hash: hashOf('new'), budgets })),
        );
        await assertRefused('unknown_budget', () => registry.updateKey('key-1', { label: 'partly', budgets }));
      });
    });

    test('deletes a budget that no key names but revoked keys', async ({ registry }) => {
      assert.equal(await registry.deleteBudget('acme', 'team:research'), false);
      await registry.setBudget(budgetOf());
      await registry.insertKey(keyOf({ budgets: ['team:research'] }));
      await assertRefused('budget_in_use', () => registry.deleteBudget('acme', 'team:research'));
      await registry.updateKey('key-1', { revokedAtMs: CREATED_AT_MS });
      assert.equal(await registry.deleteBudget('acme', 'team:research'), true);
      assert.equal(await registry.findBudget('acme', 'team:research'), undefined);
      assert.equal((await registry.findByHash(keyOf().hash))?.budgets, undefined);
    });

    test('refuses malformed budgets', async ({ registry }) => {
      for (const id of BAD_IDS) {
        await assertRefused('invalid_id', () => registry.setBudget(budgetOf({ id })));
        await assertRefused('invalid_id', () => registry.insertKey(keyOf({ budgets: [id] })));
      }
      for (const limit of BAD_AMOUNTS)
        await assertRefused('invalid_amount', () => registry.setBudget(budgetOf({ limit })));
      await assertRefused('invalid_argument', () => registry.setBudget(budgetOf({ mode: 'soft' as BudgetMode })));
      for (const budgets of [
        ['a', 'a'],
        ['a', 'b', 'c', 'd', 'e'],
      ])
        await assertRefused('invalid_argument', () => registry.insertKey(keyOf({ budgets })));
      assert.deepEqual((await registry.listBudgets('acme')).items, []);
    });
  });
}
