import { afterAll, describe, expect, test } from 'vitest';
import { evaluateBy } from '../src/engine/redis-client.js';
import { createScripts } from '../src/engine/scripts.js';
import { type RedisLedger, redisLedger } from '../src/index.js';
import { migration } from '../src/redis-ledger.js';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

const OPERATIONS: Record<string, (ledger: RedisLedger) => Promise<unknown>> = {
  grant: (ledger) => ledger.grant(grantOf(1n)),
  hold: (ledger) => ledger.hold(holdOf('hold-1')),
  admit: (ledger) => ledger.admit({ organizationId: 'acme', keyId: 'key-1' }),
  ratesUsed: (ledger) => ledger.ratesUsed({ organizationId: 'acme', keyId: 'key-1' }),
  settle: (ledger) => ledger.settle('hold-1', CHARGE),
  expireHolds: (ledger) => ledger.expireHolds(1),
  organizationTotals: (ledger) => ledger.organizationTotals('acme'),
  keyTotals: (ledger) => ledger.keyTotals('key-1'),
  usage: (ledger) => ledger.usage({ by: 'day' }),
  findHold: (ledger) => ledger.findHold('hold-1'),
  entries: (ledger) => ledger.entries(),
  removeEntries: (ledger) => ledger.removeEntries('2'),
  audit: (ledger) => ledger.audit(),
  findByHash: (ledger) => ledger.apiKeys.findByHash('a'.repeat(64)),
  listKeys: (ledger) => ledger.apiKeys.listKeys(),
  free: (ledger) =>
    ledger.idempotency.free({ keyId: 'key-1', idempotencyKey: 'a', claimId: 'b', fingerprint: 'c'.repeat(64) }),
};

describe.skipIf(server === undefined)(`migrate${suffix}`, () => {
  if (server === undefined) return;
  const connected = connectIoRedis(server.url);
  afterAll(async () => (await connected).end());
  const open = (prefix?: string) => openLedger(server.url, prefix === undefined ? {} : { prefix });

  for (const [name, operation] of Object.entries(OPERATIONS)) {
    test(`is needed before ${name}`, async () => {
      const ledger = redisLedger({ client: (await connected).client, prefix: freshPrefix() });
      await expect(operation(ledger)).rejects.toMatchObject({ reason: 'schema_mismatch' });
    });
  }

  test('changes nothing a second time', async () => {
    const { ledger } = await open();
    await ledger.grant(grantOf(5n));
    await ledger.migrate();
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 5n, usage: 0n, held: 0n });
  });

  test('may be run by twenty at once', async () => {
    const { client } = await connected;
    const prefix = freshPrefix();
    const ledgers = Array.from({ length: 20 }, () => redisLedger({ client, prefix }));
    await Promise.all(ledgers.map((ledger) => ledger.migrate()));
    await Promise.all(ledgers.map((ledger, index) => ledger.grant(grantOf(1n, `grant-${index}`))));
    expect((await ledgers[0]?.organizationTotals('acme'))?.credits).toBe(20n);
  });

  for (const version of ['0', '2', 'none of ours']) {
    test(`leaves keys of version ${version}, which this package does not know, alone, and so does every operation`, async () => {
      const { ledger, prefix, command } = await open();
      await ledger.grant(grantOf(5n));
      await command('HSET', `{${prefix}}:meta`, 'version', version);
      await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'schema_mismatch' });
      await expect(ledger.grant(grantOf(5n, 'grant-2'))).rejects.toThrow(`found ${version}`);
      expect(await command('HGET', `{${prefix}}:meta`, 'version')).toBe(version);
    });
  }

  test('goes on to the next version, keeps what is there, and shuts out this one', async () => {
    const { ledger, client, prefix, command } = await open();
    await ledger.grant(grantOf(5n));
    const scripts = createScripts({ evaluate: evaluateBy(client), prefix, allowEviction: true });
    const next = migration([`redis.call('HINCRBY', META, 'upgrades', '1')`]);
    for (let run = 0; run < 2; run += 1) expect(await scripts.run(next, [])).toEqual(['done']);
    expect(await command('HMGET', `{${prefix}}:meta`, 'version', 'upgrades')).toEqual(['2', '1']);
    const tooNew = { reason: 'schema_mismatch', message: expect.stringContaining('version 1') as string };
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject(tooNew);
    await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'schema_mismatch' });
    await command('HSET', `{${prefix}}:meta`, 'version', '1');
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 5n });
  });

  test('keeps ledgers of different prefixes apart', async () => {
    const prefix = freshPrefix();
    const [one, two] = [await open(`${prefix}:a`), await open(`${prefix}:b`)];
    await one.ledger.grant(grantOf(5n));
    await two.ledger.grant(grantOf(7n));
    expect((await one.ledger.organizationTotals('acme')).credits).toBe(5n);
    expect((await two.ledger.entries()).entries).toHaveLength(1);
  });
});
