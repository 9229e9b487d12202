import { describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { expectSumsOfLog } from './sums-of-log.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

describe.skipIf(server === undefined)(`operations of one turn${suffix}`, () => {
  if (server === undefined) return;
  const open = async () => {
    const opened = await openLedger(server.url);
    await opened.ledger.grant(grantOf(1_000n));
    return opened;
  };
  const expiresAtMs = Date.now() + 60_000;
  const names = (count: number) => Array.from({ length: count }, (_, index) => `call-${index}`);

  test('each get their own answer, also where they are more than one script does', async () => {
    const { ledger } = await open();
    const ids = names(100);
    const twice = ledger.hold(holdOf('call-0', { expiresAtMs }));
    const holds = await Promise.allSettled(ids.map((id) => ledger.hold(holdOf(id, { expiresAtMs }))));
    await twice;
    expect(holds.map(({ status }) => status)).toEqual(['rejected', ...Array(99).fill('fulfilled')]);
    const unknown = ledger.settle('unknown', CHARGE).catch((error: unknown) => error);
    const costs = await Promise.all(ids.map((id, index) => ledger.settle(id, { ...CHARGE, cost: BigInt(index % 5) })));
    expect(costs.map(({ cost }) => cost)).toEqual(ids.map((_, index) => BigInt(index % 5)));
    expect(await unknown).toMatchObject({ reason: 'unknown_hold' });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test.each(['call-0', 'call-2'])('fail alone, and the others are done: %s', async (damaged) => {
    const { ledger, prefix, command } = await open();
    const ids = names(5);
    for (const id of ids) await ledger.hold(holdOf(id, { expiresAtMs }));
    const key = `{${prefix}}:holds`;
    const sound = (await command('HGET', key, damaged)) as string;
    await command('HSET', key, damaged, 'damaged');
    const settled = await Promise.allSettled(ids.map((id) => ledger.settle(id, CHARGE)));
    expect(settled.map(({ status }) => status)).toEqual(ids.map((id) => (id === damaged ? 'rejected' : 'fulfilled')));
    await command('HSET', key, damaged, sound);
    expect(await ledger.settle(damaged, CHARGE)).toMatchObject({ status: 'settled', first: true });
    expect((await ledger.audit()).differences).toEqual([]);
    expect((await ledger.organizationTotals('acme')).usage).toBe(5n * CHARGE.cost);
  });

  const SUM = 'd\\d+ acme key-2 exa/answer\\t\\u0001team';
  test.each([
    ['the book of a key', 'key-counters', 'key-2'],
    ['the book of a budget', 'key-counters', 'acme team'],
    ['a sum', 'sums', SUM],
  ])('of which one meets %s that is damaged leave no trace of it', async (_, hash, pattern) => {
    const { ledger, prefix, command } = await open();
    const ids = names(6);
    const ofThird = { keyId: 'key-2', budgets: [{ id: 'team', limit: null, limitReset: null, isKept: true }] };
    const holdAll = (of: readonly string[]) =>
      Promise.allSettled(
        of.map((id, index) => ledger.hold(holdOf(id, { expiresAtMs, ...(index === 3 ? ofThird : {}) }))),
      );
    await holdAll(['early-0', 'early-1', 'early-2', 'early-3']);
    for (const index of [0, 3]) await ledger.settle(`early-${index}`, CHARGE);
    await holdAll(ids);
    const key = `{${prefix}}:${hash}`;
    const fields = (await command('HKEYS', key)) as string[];
    const damaged = fields.find((name) => new RegExp(`^${pattern}$`).test(name)) ?? '';
    const sound = (await command('HGET', key, damaged)) as string;
    await command('HSET', key, damaged, 'damaged');
    const before = await ledger.entries();
    const settled = await Promise.allSettled(ids.map((id) => ledger.settle(id, CHARGE)));
    expect(settled.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([3]);
    expect((await ledger.entries()).entries.length - before.entries.length).toBe(5);
    const remembered = (await command('LRANGE', `{${prefix}}:ended`, '0', '-1')) as string[];
    expect(remembered.map((listed) => listed.split(' ')[1]).filter((id) => id?.startsWith('call'))).toHaveLength(5);
    await command('HSET', key, damaged, sound);
    expect(await ledger.audit()).toMatchObject({ openHolds: 3, differences: [] });
    expect(await ledger.settle('call-3', CHARGE)).toMatchObject({ status: 'settled', first: true });
    await expectSumsOfLog(ledger);
  });

  test('see what those before them have done: room, ids and endings', async () => {
    const { ledger } = await open();
    const [first, again, other] = await Promise.allSettled([
      ledger.hold(holdOf('call-0', { expiresAtMs, amount: 600n })),
      ledger.hold(holdOf('call-0', { expiresAtMs, amount: 1n })),
      ledger.hold(holdOf('call-1', { expiresAtMs, amount: 600n })),
    ]);
    expect(first).toMatchObject({ value: { status: 'held' } });
    expect(again).toMatchObject({ reason: { reason: 'duplicate_hold' } });
    expect(other).toMatchObject({ value: { status: 'refused', held: 600n } });
    const settle = () => ledger.settle('call-0', CHARGE);
    const settled = await Promise.all([settle(), settle(), settle()]);
    expect(settled.map((ending) => ending.first)).toEqual([true, false, false]);
    expect((await ledger.audit()).differences).toEqual([]);
    await expectSumsOfLog(ledger);
  });

  test('may write more than one command takes', async () => {
    const { ledger } = await open();
    const ids = names(32);
    await Promise.all(ids.map((id) => ledger.hold(holdOf(id, { expiresAtMs }))));
    const lossOf = (index: number) => ({ model: `model-${index}`, provider: 'exa', cost: 1n, reason: 'failed' });
    const losses = Array.from({ length: 25 }, (_, index) => lossOf(index));
    const settle = (id: string, turn: number) =>
      ledger.settle(id, { ...CHARGE, losses: losses.map((loss) => ({ ...loss, model: `${loss.model}-${turn}` })) });
    await Promise.all(ids.map(settle));
    expect((await ledger.audit()).differences).toEqual([]);
    await expectSumsOfLog(ledger);
  });

  test('of a sweep are done beside a damaged hold, which is no longer open', async () => {
    const { ledger, prefix, command } = await open();
    const dueAtMs = Date.now() + 100;
    for (const id of names(5)) await ledger.hold(holdOf(id, { expiresAtMs: dueAtMs }));
    await command('HSET', `{${prefix}}:holds`, 'call-2', 'damaged');
    const sweep = () => ledger.expireHolds(dueAtMs + 60_000);
    await expect(sweep()).rejects.toThrow('ERR');
    expect(await sweep()).toBe(0);
    const { entries } = await ledger.entries();
    expect(entries.map(({ kind }) => kind)).toEqual(['grant', ...Array(4).fill('expired')]);
    const held = { counter: 'held', counted: 10n, recomputed: 0n };
    expect((await ledger.audit()).differences).toContainEqual(expect.objectContaining(held));
    expect(await ledger.grant(grantOf(1n, 'grant-2'))).toEqual({ applied: true });
  });
});
