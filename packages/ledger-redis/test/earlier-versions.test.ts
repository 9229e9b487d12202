import { readFileSync } from 'node:fs';
import { createFakeClock } from '@searchgate/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { type RedisLedger, redisLedger } from '../src/index.js';
import { UPGRADING } from '../src/lua/upgrade.js';
import { CHARGE, holdOf } from './open-ledger.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
/** Two seconds after the recorded ledger was left, with four open holds. */
const startMs = Date.UTC(2026, 10, 21, 12, 1, 2);
const RECORDED = readFileSync(new URL('fixtures/version-2.json', import.meta.url), 'utf8');
/** What a step of a migration does, a few times over. */
const MANY = 1_234;

describe.skipIf(server === undefined)(`a ledger of version 2${suffix}`, () => {
  if (server === undefined) return;
  const connected = connectIoRedis(server.url);
  afterAll(async () => {
    (await connected).end();
    await server.stop();
  });

  /** The keys as version 2 left them, and a ledger that is not migrated yet. */
  async function openRecorded() {
    const { client } = await connected;
    if (!('call' in client)) throw new Error('only over ioredis');
    const prefix = freshPrefix();
    const command = (name: string, key: string, ...values: string[]) =>
      client.call(name, `{${prefix}}:${key}`, ...values);
    for (const [name = '', key = '', ...values] of JSON.parse(RECORDED) as string[][])
      await command(name, key, ...values);
    const clock = createFakeClock(startMs);
    const connect = () => redisLedger({ client, prefix, clock });
    return { ledger: connect(), connect, command };
  }

  async function migrated() {
    const recorded = await openRecorded();
    await recorded.ledger.migrate();
    return recorded;
  }

  const byOf = async (ledger: RedisLedger, changes: object) => {
    const result = await ledger.hold(holdOf('new', { expiresAtMs: startMs + 60_000, ...changes }));
    return result.status === 'refused' ? result.by : result.status;
  };

  test('is refused before it is migrated', async () => {
    const { ledger } = await openRecorded();
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject({ reason: 'schema_mismatch' });
  });

  test('keeps every counter and every entry', async () => {
    const { ledger } = await migrated();
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 12n, held: 30n });
    expect(await ledger.keyTotals('key-1', 'daily')).toEqual({ usage: 12n, held: 20n, windowUsage: 12n });
    const { entries } = await ledger.entries();
    const kinds = entries.map(({ kind }) => kind).join(' ');
    expect(kinds).toBe('grant grant adjustment expired expired charge loss charge');
    expect(entries[5]).toMatchObject({ id: 'late', costSource: 'reported', late: true });
    expect(entries[7]).not.toHaveProperty('upstreamCost');
    expect((await ledger.entries({ keyId: 'key-1' })).entries).toHaveLength(6);
    const report = { organizations: 2, keys: 3, entries: 8, openHolds: 4, differences: [] };
    expect(await ledger.audit()).toEqual(report);
  });

  test('counts the places of its open holds', async () => {
    const { ledger } = await migrated();
    expect(await byOf(ledger, { keyMaxConcurrent: 2 })).toBe('key_concurrency');
    expect(await byOf(ledger, { organizationMaxConcurrent: 3 })).toBe('organization_concurrency');
    await ledger.settle('open-1', CHARGE);
    await ledger.release('open-3', { reason: 'failed' });
    expect(await byOf(ledger, { keyMaxConcurrent: 2, organizationMaxConcurrent: 2 })).toBe('held');
    expect(await ledger.expireHolds(startMs + 60_000)).toBe(3);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('still knows how its holds have ended', async () => {
    const { ledger } = await migrated();
    expect(await ledger.settle('settled', CHARGE)).toEqual({ status: 'settled', cost: 7n, first: false });
    expect(await ledger.settle('unpaid', CHARGE)).toEqual({ status: 'settled', cost: 7n, first: true });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('has keys and organizations without limits, which can be given some', async () => {
    const { apiKeys } = (await migrated()).ledger;
    expect(await apiKeys.findKey('key-1')).toMatchObject({ limit: 500n, rateLimit: null, maxConcurrent: null });
    expect(await apiKeys.updateKey('key-1', { maxConcurrent: 4 })).toMatchObject({ rateLimit: null, maxConcurrent: 4 });
    const rateLimit = { requests: 60, periodSeconds: 60 };
    for (const id of ['acme', 'globex']) await apiKeys.updateOrganization(id, { rateLimit });
    const found = await apiKeys.findByHash('1'.padStart(64, 'a'));
    expect(found).toMatchObject({ organizationRateLimit: rateLimit, organizationMaxConcurrent: null });
    expect(await apiKeys.findOrganization('globex')).toMatchObject({ rateLimit, name: null, suspendedAtMs: null });
  });

  test('is of use to no one while it is being migrated, and a migration that was cut off goes on', async () => {
    const { ledger, command } = await openRecorded();
    await command('HSET', 'meta', 'version', UPGRADING, 'upgrade', 'keys 0');
    const book = '30 0 - 12 1000 7 1,3,4,5,6,7,8';
    await command('HSET', 'org-books', 'acme', book, 'globex', '10 0 - 0 1000 1 2');
    const refused = { reason: 'schema_mismatch', message: expect.stringContaining('is being migrated') as string };
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject(refused);
    await ledger.migrate();
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('is migrated in steps, also by several processes at once, however much there is', async () => {
    const { ledger, connect, command } = await openRecorded();
    const ids = Array.from({ length: MANY }, (_, index) => `${index}`);
    await command('HSET', 'org-books', ...ids.flatMap((id) => [`org-${id}`, '5 0 0 0 ']));
    await command('HSET', 'key-books', ...ids.flatMap((id) => [`many-${id}`, '5 0 0 0 0 0 0 0 0 ']));
    await command('HSET', 'holds', ...ids.flatMap((id) => [`hold-${id}`, `open t 5 org-${id} many-${id} exa/answer`]));
    await command('ZADD', 'open', ...ids.flatMap((id) => [`${startMs + 60_000}`, `hold-${id}`]));
    await Promise.all([ledger, connect(), connect(), connect()].map((each) => each.migrate()));
    expect(await ledger.audit()).toMatchObject({ organizations: MANY + 2, openHolds: MANY + 4, differences: [] });
    expect(await command('HGET', 'meta', 'upgrade')).toBeNull();
    expect(await command('HGET', 'key-books', `many-${MANY - 1}`)).toBe('5 1 - 0 0 0 0 0 0 ');
  });
});
