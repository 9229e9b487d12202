import { afterAll, describe, expect, test, vi } from 'vitest';
import { type RedisLedger, type RedisLedgerOptions, redisLedger } from '../src/index.js';
import { LEDGER_KEYS } from '../src/lua/opening.js';
import { type MigrationStep, SCHEMA_VERSION, STEPS } from '../src/lua/schema.js';
import { CHARGE, grantOf, holdOf, type OpenLedger, openLedger } from './open-ledger.js';
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

/** A ledger by this package as it is with these steps, of which the last makes its version. */
async function openBy(steps: readonly MigrationStep[], options: RedisLedgerOptions): Promise<RedisLedger> {
  vi.resetModules();
  vi.doMock('../src/lua/schema.js', () => ({
    STEPS: steps,
    SCHEMA_VERSION: steps.length + 1,
    READABLE_FROM: steps.at(-1)?.readableFrom,
  }));
  const next = await import('../src/index.js');
  vi.doUnmock('../src/lua/schema.js');
  // Files that run after this one in the same process get the package as it is.
  vi.resetModules();
  return next.redisLedger(options);
}

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

  for (const version of ['0', `${SCHEMA_VERSION + 1}`, 'none of ours']) {
    test(`leaves keys of version ${version}, which this package does not know, alone, and so does every operation`, async () => {
      const { ledger, prefix, command } = await open();
      await ledger.grant(grantOf(5n));
      await command('HSET', `{${prefix}}:meta`, 'version', version);
      await command('HDEL', `{${prefix}}:meta`, 'readable_from');
      await expect(ledger.migrate()).rejects.toMatchObject({ reason: 'schema_mismatch' });
      await expect(ledger.grant(grantOf(5n, 'grant-2'))).rejects.toThrow(version);
      expect(await command('HGET', `{${prefix}}:meta`, 'version')).toBe(version);
    });
  }

  test('brings keys of version 1 up to date', async () => {
    const { ledger, prefix, command } = await open();
    await ledger.grant(grantOf(5n));
    await command('HSET', `{${prefix}}:meta`, 'version', '1');
    await command('HDEL', `{${prefix}}:meta`, 'readable_from');
    const added = LEDGER_KEYS.filter((key) => key.includes('budget') || key.includes('request-sum'));
    await command('DEL', ...added.map((key) => `{${prefix}}:${key}`));
    await expect(ledger.organizationTotals('acme')).rejects.toThrow('found 1: run migrate()');
    await ledger.migrate();
    expect(await command('EXISTS', ...LEDGER_KEYS.map((key) => `{${prefix}}:${key}`))).toBe(LEDGER_KEYS.length);
    expect(await ledger.organizationTotals('acme')).toMatchObject({ credits: 5n });
  });

  test('reads what version 4 has written', async () => {
    const { ledger, prefix, command } = await open();
    const key = (name: string) => `{${prefix}}:${name}`;
    const call = { requestId: 'one', atMs: 1, organizationId: 'acme', cost: null, upstreamCost: null, loss: '0' };
    await command('HSET', key('requests'), 'one', `\nacme\n${JSON.stringify({ ...call, attempts: [] })}`);
    expect(await ledger.requests.get('one')).toMatchObject({ budgets: [], byok: false });
    const later = { cause: null, attempted: [], attemptCount: 0, rescued: false };
    expect(await ledger.requests.get('one')).toMatchObject(later);
    const organization = ['-', 'acme', 'null', '1', 'null', 'null', 'null', 'false'].join('\n');
    await command('HSET', key('organization-records'), 'acme', organization);
    expect(await ledger.apiKeys.findOrganization('acme')).toMatchObject({ domains: null });
    const domains = { only: ['a.example'] };
    expect(await ledger.apiKeys.updateOrganization('acme', { domains })).toMatchObject({ domains });
  });

  /** The same ledger by the next package. */
  function openNext({ client, prefix }: OpenLedger, readableFrom: number): Promise<RedisLedger> {
    return openBy([...STEPS, { step: `redis.call('HINCRBY', META, 'upgrades', '1')`, readableFrom, keys: 0 }], {
      client,
      prefix,
    });
  }

  test('needs migrate() of the newer package before that works', async () => {
    const next = await openNext(await open(), SCHEMA_VERSION);
    await expect(next.grant(grantOf(1n))).rejects.toThrow(`found ${SCHEMA_VERSION}: run migrate()`);
  });

  test('goes on to the next version, beside which this one works on where the next names it', async () => {
    const own = await open();
    const { ledger, prefix, command } = own;
    await ledger.grant(grantOf(500n));
    const next = await openNext(own, SCHEMA_VERSION);
    for (const each of [next, next, ledger]) await each.migrate();
    const kept = await command('HMGET', `{${prefix}}:meta`, 'version', 'readable_from', 'upgrades');
    expect(kept).toEqual([`${SCHEMA_VERSION + 1}`, `${SCHEMA_VERSION}`, '1']);

    // Each ends what the other has begun.
    const budgets = [{ id: 'team', limit: 400n, limitReset: null, isKept: true }];
    const holds = Array.from({ length: 40 }, (_, index) => `hold-${index}`);
    await Promise.all(holds.map((id, index) => (index % 2 === 0 ? ledger : next).hold(holdOf(id, { budgets }))));
    await Promise.all(holds.map((id, index) => (index % 2 === 0 ? next : ledger).settle(id, CHARGE)));
    for (const each of [ledger, next]) {
      expect(await each.organizationTotals('acme')).toEqual({ credits: 500n, usage: 280n, held: 0n });
      expect(await each.budgetTotals('acme', budgets)).toMatchObject([{ usage: 280n, held: 0n }]);
      expect(await each.audit()).toMatchObject({ differences: [] });
      await each.close();
    }
  });

  test('shuts this version out where the next does not name it, and says so', async () => {
    const own = await open();
    const next = await openNext(own, SCHEMA_VERSION + 1);
    await next.migrate();
    await next.grant(grantOf(5n));
    const versions = `are of version ${SCHEMA_VERSION + 1} and can be used from version ${SCHEMA_VERSION + 1} on`;
    const tooNew = { reason: 'schema_mismatch', message: expect.stringContaining(versions) as string };
    const { ledger } = own;
    for (const operation of [OPERATIONS.keyTotals, OPERATIONS.grant, ledger.migrate]) {
      await expect(operation?.(ledger)).rejects.toMatchObject(tooNew);
    }
    await expect(ledger.migrate()).rejects.toThrow(
      'install the version of @searchgate/ledger-redis that ran migrate()',
    );
    expect(await next.organizationTotals('acme')).toMatchObject({ credits: 5n });
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
