import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { redisLedger } from '../src/index.js';
import { CHARGE, grantOf, holdOf, type OpenLedger, openLedger } from './open-ledger.js';
import { type Connect, connectIoRedis, connectNodeRedis, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason({ appendfsync: 'always', ownServer: true });
const CLIENTS: Record<string, Connect> = { ioredis: connectIoRedis, redis: connectNodeRedis };
const CALLERS = 8;
const AMOUNT = 10n;
const TEAM = { id: 'team', limit: 10n ** 9n, limitReset: 'monthly', isKept: true } as const;

/** Holds and settles until told to stop; what was acknowledged has to be found afterwards. */
async function work({ ledger }: OpenLedger, name: number, goesOn: () => boolean): Promise<string[]> {
  const settled: string[] = [];
  for (let call = 0; goesOn() && call < 100_000; call += 1) {
    const holdId = `${name}-${call}`;
    const budgets = name % 2 === 0 ? [TEAM, { ...TEAM, id: `user:${name}`, isKept: false }] : [];
    const { status } = await ledger.hold(holdOf(holdId, { expiresAtMs: Date.now() + 60_000, budgets }));
    expect(status).toBe('held');
    const ending = await ledger.settle(holdId, CHARGE);
    expect(ending).toEqual({ status: 'settled', cost: CHARGE.cost, first: true });
    settled.push(holdId);
  }
  return settled;
}

describe.skipIf(server === undefined)(`where the server fails${suffix}`, () => {
  if (server === undefined) return;
  const open = (options?: Parameters<typeof openLedger>[1]) => openLedger(server.url, options);

  for (const [name, connect] of Object.entries(CLIENTS)) {
    test(`loses and doubles nothing over ${name} when it is killed and restarted under load`, async () => {
      const opened = await open({ connect });
      await opened.ledger.grant(grantOf(10n ** 9n));
      let restarts = 0;
      const working = Array.from({ length: CALLERS }, (_, caller) => work(opened, caller, () => restarts < 2));
      await server.kill();
      await server.start();
      restarts += 1;
      await server.restart();
      restarts += 1;
      const settled = (await Promise.all(working)).flat();
      expect(settled.length).toBeGreaterThanOrEqual(CALLERS);
      const { usage, held } = await opened.ledger.organizationTotals('acme');
      expect({ usage, held }).toEqual({ usage: BigInt(settled.length) * CHARGE.cost, held: 0n });
      const inTeam = settled.filter((id) => Number(id.split('-')[0]) % 2 === 0).length;
      const [team] = await opened.ledger.budgetTotals('acme', [TEAM]);
      expect(team).toMatchObject({ windowUsage: BigInt(inTeam) * CHARGE.cost, held: 0n });
      expect((await opened.ledger.audit()).differences).toEqual([]);
    });
  }

  test('loads its scripts again when the server has forgotten them', async () => {
    const { ledger, command } = await open();
    await ledger.grant(grantOf(100n));
    await ledger.hold(holdOf('hold-1'));
    await command('SCRIPT', 'FLUSH');
    expect(await ledger.hold(holdOf('hold-2'))).toEqual({ status: 'held', amount: AMOUNT });
    expect((await ledger.settle('hold-1', CHARGE)).first).toBe(true);
  });

  test('refuses holds but still settles when the memory is full, and changes nothing by a refusal', async () => {
    const { ledger, command } = await open();
    await ledger.grant(grantOf(100n));
    await ledger.hold(holdOf('hold-1'));
    await ledger.settle('hold-1', CHARGE);
    await ledger.hold(holdOf('hold-2'));
    const before = await ledger.audit();
    await command('CONFIG', 'SET', 'maxmemory', '1');
    try {
      await expect(ledger.hold(holdOf('hold-3'))).rejects.toThrow('OOM');
      await expect(ledger.grant(grantOf(1n, 'grant-2'))).rejects.toThrow('OOM');
      expect(await ledger.audit()).toEqual(before);
      expect((await ledger.settle('hold-2', CHARGE)).first).toBe(true);
    } finally {
      await command('CONFIG', 'SET', 'maxmemory', '0');
    }
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('waits for a replica that is promoted', async () => {
    const { ledger, command } = await open();
    await ledger.grant(grantOf(100n));
    await command('REPLICAOF', '127.0.0.1', '1');
    const holding = ledger.hold(holdOf('hold-1'));
    await expect(command('SET', 'anything', '1')).rejects.toThrow('READONLY');
    await command('REPLICAOF', 'NO', 'ONE');
    expect(await holding).toEqual({ status: 'held', amount: AMOUNT });
  });

  test("gives the client's own error when no server answers for seconds, and is in working order afterwards", async () => {
    const client = new Redis(server.url, { enableOfflineQueue: false, retryStrategy: () => 20, lazyConnect: true });
    await client.on('error', () => {}).connect();
    const ledger = redisLedger({ client });
    await ledger.migrate();
    await server.kill();
    await expect(ledger.grant(grantOf(AMOUNT))).rejects.toThrow("Stream isn't writeable");
    const connected = new Promise((resolve) => client.once('ready', resolve));
    await server.start();
    await connected;
    expect(await ledger.grant(grantOf(AMOUNT))).toEqual({ applied: true });
    await ledger.close();
    client.disconnect();
  });

  test('finishes what is under way before close resolves', async () => {
    const { ledger, prefix } = await open();
    const granting = ledger.grant(grantOf(AMOUNT));
    await ledger.close();
    const settled = await Promise.race([granting, Promise.resolve('still running')]);
    expect(settled).toEqual({ applied: true });
    const other = await open({ prefix });
    expect((await other.ledger.organizationTotals('acme')).credits).toBe(AMOUNT);
  });
});
