import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

describe.skipIf(server === undefined)(`operations of one turn${suffix}`, () => {
  if (server === undefined) return;
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });
  afterAll(() => server.stop());
  const open = async () => {
    const opened = await openLedger(server.url);
    endings.push(opened.dispose);
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
});
