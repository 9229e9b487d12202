import { createFakeClock } from '@searchgate/testing';
import { describe, expect, it } from 'vitest';
import { hashApiKey } from '../auth/api-key-secret.js';
import { memoryApiKeys } from '../auth/memory-api-keys.js';
import { LedgerError } from '../base/errors/ledger-error.js';
import { limitWindowAt } from '../base/time/limit-window.js';
import { memoryAuditLog } from '../ledger/audit-log.js';
import { memoryLedger } from '../ledger/memory-ledger.js';
import { memoryRequestLog } from '../ledger/memory-request-log.js';
import { createAdministration } from './create-administration.js';

const NOW_MS = Date.UTC(2026, 10, 21);
const TEAM = { id: 'team:research', limit: '200.00', limitReset: 'monthly' } as const;
const NEW_KEY = { organizationId: 'acme', label: 'ci' };

async function start(registry = memoryApiKeys()) {
  const clock = createFakeClock(NOW_MS);
  const ledger = memoryLedger({ clock, credits: { acme: '1000' } });
  const invalidated: string[] = [];
  const gateway = { invalidateKey: (hash: string) => void invalidated.push(hash) };
  const auditLog = memoryAuditLog();
  const requestLog = { ...memoryRequestLog(), eraseBudget: async () => Promise.resolve(3) };
  const administration = createAdministration({ ledger, apiKeys: registry, gateway, auditLog, requestLog, clock });
  await administration.organizations.create({ id: 'acme' });
  const { budgets, apiKeys: keys } = administration;

  /** Charges a call that counts in budgets of acme. */
  async function charge(holdId: string, cost: bigint, ids: readonly string[], keyId = 'key-1') {
    const held = ids.map((id) => ({ id, limit: null, limitReset: null, isKept: true }));
    const hold = { holdId, organizationId: 'acme', keyId, keyLimit: null, budgets: held, model: 'exa/answer' };
    await ledger.hold({ ...hold, amount: cost, expiresAtMs: NOW_MS + 1e12 });
    await ledger.settle(holdId, { cost, model: 'exa/answer', provider: 'exa', costSource: 'flat' });
  }

  return { administration, budgets, keys, ledger, clock, charge, invalidated, registry };
}

describe('budgets.set', () => {
  it('sets a budget, and replaces what it says; the time of its creation stays', async () => {
    const { budgets, clock, charge } = await start();
    const { resetsAtMs } = limitWindowAt('monthly', NOW_MS);
    const unused = { usage: 0n, held: 0n, windowUsage: 0n };
    const made = {
      organizationId: 'acme',
      id: 'team:research',
      limit: 200_000_000_000n,
      limitReset: 'monthly',
      mode: 'enforce',
      createdAtMs: NOW_MS,
      ...unused,
      resetsAtMs,
    };
    expect(await budgets.set('acme', TEAM)).toEqual(made);
    expect(await budgets.get('acme', 'team:research')).toEqual(made);
    await charge('a', 5n, ['team:research']);
    await clock.advance(31 * 86_400_000);
    await charge('b', 3n, ['team:research']);
    expect(await budgets.set('acme', { ...TEAM, limit: '0' })).toMatchObject({ limit: 0n, usage: 8n, windowUsage: 3n });
    const changed = {
      ...made,
      limit: 0n,
      limitReset: null,
      mode: 'warn',
      usage: 8n,
      windowUsage: 8n,
      resetsAtMs: null,
    };
    expect(await budgets.set('acme', { id: 'team:research', limit: '0', mode: 'warn' })).toEqual(changed);
    expect(await budgets.get('acme', 'team:research')).toEqual(changed);
    expect(await budgets.get('globex', 'team:research')).toBeUndefined();
  });

  it('makes the gateway read the keys again that name it, and no others', async () => {
    const { budgets, keys, invalidated } = await start();
    await budgets.set('acme', TEAM);
    const { secret } = await keys.create({ ...NEW_KEY, budgets: ['team:research'] });
    await keys.create(NEW_KEY);
    invalidated.length = 0;
    await budgets.set('acme', { ...TEAM, limit: '1' });
    expect(invalidated).toEqual([hashApiKey(secret)]);
  });

  it.each<[object, string]>([
    [{ limit: '5,00' }, 'invalid_amount'],
    [{ limit: '-1' }, 'invalid_amount'],
    [{ limit: null }, 'invalid_amount'],
    [{ limitReset: 'hourly' }, 'invalid_argument'],
    [{ mode: 'soft' }, 'invalid_argument'],
    [{ limits: '5.00' }, 'invalid_argument'],
    [{ id: 'two words' }, 'invalid_id'],
    [{ id: 'x'.repeat(10_000) }, 'invalid_id'],
  ])('refuses %j and sets nothing', async (changes, reason) => {
    const { budgets } = await start();
    const refused: unknown = await budgets.set('acme', { ...TEAM, ...changes }).catch((error) => error);
    expect(refused).toMatchObject({ name: 'AdministrationError', reason });
    expect((refused as Error).message.length).toBeLessThan(500);
    expect((await budgets.list('acme')).items).toEqual([]);
  });

  it('refuses an organization that is not known, and passes on that an older process runs', async () => {
    const { budgets } = await start();
    await expect(budgets.set('acne', TEAM)).rejects.toMatchObject({ reason: 'unknown_organization' });
    const setBudget = async () => {
      throw new LedgerError('schema_window_open', 'the process host-1 knows no budgets');
    };
    const old = await start({ ...memoryApiKeys(), setBudget });
    await expect(old.budgets.set('acme', TEAM)).rejects.toMatchObject({
      name: 'AdministrationError',
      reason: 'schema_window_open',
      message: 'the process host-1 knows no budgets',
    });
  });
});

describe('budgets.list', () => {
  it('gives at most 100 on a page, with their sums, which are read at once', async () => {
    const { budgets, ledger, charge } = await start();
    for (let index = 0; index < 130; index += 1) await budgets.set('acme', { id: `user:${index}`, limit: '1' });
    await charge('a', 7n, ['user:3', 'user:120']);
    let reads = 0;
    const read = ledger.budgetTotals;
    Object.assign(ledger, {
      budgetTotals: (...given: Parameters<typeof read>) => {
        reads += 1;
        return read(...given);
      },
    });
    const first = await budgets.list('acme', { limit: 1_000 });
    const second = await budgets.list('acme', { cursor: first.nextCursor ?? '' });
    expect([first.items.length, second.items.length, second.nextCursor, reads]).toEqual([100, 30, null, 2]);
    const used = [...first.items, ...second.items].filter(({ usage }) => usage > 0n).map(({ id }) => id);
    expect(used.sort()).toEqual(['user:120', 'user:3']);
    await expect(budgets.list('acme', { limit: 1_001 })).rejects.toMatchObject({ reason: 'invalid_argument' });
    expect(await budgets.list('globex')).toEqual({ items: [], nextCursor: null });
  });
});

describe('budgets of keys', () => {
  it('are named at creation and by a change', async () => {
    const { budgets, keys, registry } = await start();
    for (const id of ['team:research', 'user:ada']) await budgets.set('acme', { id, limit: '5' });
    const { secret, key } = await keys.create({ ...NEW_KEY, budgets: ['user:ada', 'team:research'] });
    expect(key.budgets).toEqual(['user:ada', 'team:research']);
    expect((await registry.findByHash(hashApiKey(secret)))?.budgets?.map(({ id }) => id)).toEqual(key.budgets);
    expect(await keys.update(key.id, { budgets: ['team:research'] })).toEqual({ ...key, budgets: ['team:research'] });
    expect((await keys.update(key.id, { label: 'renamed' })).budgets).toEqual(['team:research']);
    expect((await keys.update(key.id, { budgets: [] })).budgets).toEqual([]);
  });

  it('are refused where one is not set, with the one that was meant', async () => {
    const { budgets, keys } = await start();
    await budgets.set('acme', TEAM);
    const message = 'budgets: the organization has no budget team:reserch. Did you mean "team:research"?';
    const wrong = { budgets: ['team:research', 'team:reserch'] };
    const { key } = await keys.create(NEW_KEY);
    for (const refused of [keys.create({ ...NEW_KEY, ...wrong }), keys.update(key.id, wrong)])
      await expect(refused).rejects.toMatchObject({ name: 'AdministrationError', reason: 'unknown_budget', message });
    await expect(keys.create({ ...NEW_KEY, organizationId: 'globex', budgets: [TEAM.id] })).rejects.toThrow(
      /has no budget team:research$/,
    );
    expect((await keys.list()).items).toEqual([key]);
  });

  it.each<[unknown, string]>([
    [['a', 'b', 'c', 'd', 'e'], 'invalid_argument'],
    [['a', 'a'], 'invalid_argument'],
    ['a', 'invalid_argument'],
    [null, 'invalid_argument'],
    [['x'.repeat(10_000)], 'invalid_id'],
  ])('are refused as %j', async (given, reason) => {
    const { budgets, keys } = await start();
    for (const id of 'abcde') await budgets.set('acme', { id, limit: '5' });
    const refused: unknown = await keys.create({ ...NEW_KEY, budgets: given as [] }).catch((error) => error);
    expect(refused).toMatchObject({ name: 'AdministrationError', reason });
    expect((refused as Error).message.length).toBeLessThan(500);
  });
});

describe('budgets.delete', () => {
  it('deletes a budget that no key names but revoked keys, and gives it back', async () => {
    const { budgets, keys, charge } = await start();
    const made = await budgets.set('acme', TEAM);
    const { key } = await keys.create({ ...NEW_KEY, budgets: ['team:research'] });
    await expect(budgets.delete('acme', 'team:research')).rejects.toMatchObject({
      name: 'AdministrationError',
      reason: 'budget_in_use',
      message: expect.stringContaining(key.id) as string,
    });
    await keys.revoke(key.id);
    await charge('a', 7n, ['team:research']);
    const used = { usage: 7n, windowUsage: 7n };
    expect(await budgets.delete('acme', 'team:research')).toEqual({ ...made, ...used });
    expect(await budgets.get('acme', 'team:research')).toBeUndefined();
    expect(await budgets.set('acme', TEAM)).toMatchObject(used);
  });

  it('refuses a budget that is not set, with the one that was meant', async () => {
    const { budgets } = await start();
    await budgets.set('acme', TEAM);
    await expect(budgets.delete('acme', 'team:reserch')).rejects.toMatchObject({
      reason: 'unknown_budget',
      message: 'the organization acme has no budget team:reserch. Did you mean "team:research"?',
    });
    await expect(budgets.delete('globex', 'team:research')).rejects.toMatchObject({ reason: 'unknown_budget' });
  });
});

describe('budgets.erase', () => {
  it('takes the id out of revoked keys and of the record of changes, and leaves the money', async () => {
    const { administration, budgets, keys, charge, ledger, clock, registry } = await start();
    await administration.organizations.create({ id: 'globex' });
    await budgets.set('globex', { id: 'user:ada', limit: '5' });
    for (const id of ['user:ada', 'user:adam']) {
      await budgets.set('acme', { id, limit: '5' });
      await clock.advance(1);
    }
    const { key } = await keys.create({ ...NEW_KEY, budgets: ['user:ada', 'user:adam'] });
    await charge('a', 7n, ['user:ada']);
    await keys.update(key.id, { budgets: Array.from({ length: 200 }, () => 'user:ada') }).catch(() => undefined);
    await expect(budgets.erase('acme', 'user:ada')).rejects.toMatchObject({ reason: 'budget_in_use' });
    await keys.revoke(key.id);
    await clock.advance(1);
    expect(await budgets.erase('acme', 'user:ada')).toEqual({ wasSet: true, changes: 4, requests: 3 });
    expect(await budgets.get('acme', 'user:ada')).toBeUndefined();
    expect((await registry.findKey(key.id))?.budgets).toEqual([]);
    const { records } = await administration.changes.find({ organizations: ['acme'] });
    expect(JSON.stringify(records)).not.toMatch(/user:ada\b/);
    expect(records.filter(({ action }) => action === 'budget.set')).toMatchObject([
      { given: { id: 'user:adam', limit: '5' }, after: { id: 'user:adam', limit: '5' } },
      { given: { id: '(erased)', limit: '5' }, after: { id: '(erased)', limit: '5' }, outcome: 'made' },
    ]);
    expect(records[0]).toMatchObject({ action: 'budget.erase', organizationId: 'acme', outcome: 'made' });
    expect(await ledger.budgetTotals('acme', [{ id: 'user:ada', limitReset: null }])).toMatchObject([{ usage: 7n }]);
    expect(await budgets.erase('acme', 'user:ada')).toEqual({ wasSet: false, changes: 0, requests: 3 });
    expect(await budgets.get('globex', 'user:ada')).toMatchObject({ limit: 5_000_000_000n });
    const others = await administration.changes.find({ organizations: ['globex'] });
    expect(JSON.stringify(others)).toContain('user:ada');
  });
});

describe('the record of changes', () => {
  it('has who, what, before and after of a budget', async () => {
    const { administration, clock } = await start();
    const { budgets } = administration.as('ada');
    await budgets.set('acme', TEAM);
    await clock.advance(1);
    await budgets.set('acme', { ...TEAM, limit: '1', mode: 'warn' });
    await clock.advance(1);
    await budgets.delete('acme', 'team:research');
    await clock.advance(1);
    await budgets.delete('acme', 'team:research').catch(() => undefined);
    const { records } = await administration.changes.find({ actor: 'ada' });
    const monthly = { id: 'team:research', limitReset: 'monthly', usage: '0' };
    expect(records.toReversed()).toMatchObject([
      { action: 'budget.set', outcome: 'made', keyId: null, before: null, after: { ...monthly, limit: '200' } },
      { action: 'budget.set', given: { limit: '1' }, before: { limit: '200' }, after: { limit: '1', mode: 'warn' } },
      { action: 'budget.delete', given: { id: 'team:research' }, before: { mode: 'warn' }, after: null },
      { action: 'budget.delete', outcome: 'failed', before: null, after: null },
    ]);
  });
});

it('has a statement by budget: a charge of several budgets is in the row of each', async () => {
  const { administration, charge } = await start();
  await charge('a', 5n, ['team:research', 'user:ada']);
  await charge('b', 3n, ['team:research'], 'key-2');
  await charge('c', 2n, []);
  const rows = async (query: object) =>
    (await administration.statement({ by: 'budget', ...query })).map(({ group, charged }) => [group, charged]);
  expect(await rows({ organizationId: 'acme' })).toEqual([
    ['team:research', 8n],
    ['user:ada', 5n],
    [null, 2n],
  ]);
  expect(await rows({ keyId: 'key-2' })).toEqual([['team:research', 3n]]);
  expect(await rows({ organizationId: 'globex' })).toEqual([]);
});

it('is not there without a key registry', async () => {
  const { budgets } = createAdministration({ ledger: memoryLedger() });
  for (const refused of [budgets.set('acme', TEAM), budgets.list('acme'), budgets.erase('acme', 'user:ada')])
    await expect(refused).rejects.toMatchObject({ reason: 'no_key_registry' });
});
