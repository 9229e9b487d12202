import { readFileSync } from 'node:fs';
import { createFakeClock } from '@searchgate/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { evaluateBy } from '../src/engine/redis-client.js';
import { createScripts } from '../src/engine/scripts.js';
import { type RedisLedger, redisLedger } from '../src/index.js';
import { UPGRADING } from '../src/lua/upgrade.js';
import { MIGRATE } from '../src/scripts/migrate-script.js';
import { CHARGE, holdOf } from './open-ledger.js';
import { expectSumsOfLog } from './sums-of-log.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();
/** Two seconds after the ledger of version 2 was left, with four open holds. */
const startMs = Date.UTC(2026, 10, 21, 12, 1, 2);
/** Two seconds after that of version 3 was left, with two. */
const thirdMs = Date.UTC(2026, 10, 23, 12, 0, 2);
/** What needs all sums. */
const ASKING: readonly ((ledger: RedisLedger) => Promise<unknown>)[] = [
  (ledger) => ledger.usage({ by: 'key' }),
  (ledger) => ledger.audit(),
  (ledger) => ledger.removeEntries('2'),
];
/** What a step of a migration does, a few times over. */
const MANY = 1_234;
const CONNECTED = server === undefined ? undefined : connectIoRedis(server.url);
afterAll(async () => {
  (await CONNECTED)?.end();
  await server?.stop();
});

/** The keys as a version left them, and a ledger that is not migrated yet. */
async function openRecorded(version: 2 | 3, nowMs: number) {
  const client = (await CONNECTED)?.client;
  if (client === undefined || !('call' in client)) throw new Error('only over ioredis');
  const prefix = freshPrefix();
  const command = (name: string, key: string, ...values: string[]) =>
    client.call(name, `{${prefix}}:${key}`, ...values);
  const recorded = readFileSync(new URL(`fixtures/version-${version}.json`, import.meta.url), 'utf8');
  for (const [name = '', key = '', ...values] of JSON.parse(recorded) as string[][])
    await command(name, key, ...values);
  const clock = createFakeClock(nowMs);
  const connect = () => redisLedger({ client, prefix, clock });
  const scripts = createScripts({ evaluate: evaluateBy(client), prefix, clock, allowEviction: true });
  return { ledger: connect(), connect, command, step: () => scripts.run(MIGRATE, []) };
}

describe.skipIf(server === undefined)(`a ledger of version 2${suffix}`, () => {
  async function migrated() {
    const recorded = await openRecorded(2, startMs);
    await recorded.ledger.migrate();
    return recorded;
  }

  const byOf = async (ledger: RedisLedger, changes: object) => {
    const result = await ledger.hold(holdOf('new', { expiresAtMs: startMs + 60_000, ...changes }));
    return result.status === 'refused' ? result.by : result.status;
  };

  test('is refused before it is migrated', async () => {
    const { ledger } = await openRecorded(2, startMs);
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
    await expectSumsOfLog(ledger);
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
    const { ledger, command } = await openRecorded(2, startMs);
    await command('HSET', 'meta', 'version', UPGRADING, 'upgrade', 'keys 0');
    const book = '30 0 - 12 1000 7 1,3,4,5,6,7,8';
    await command('HSET', 'org-books', 'acme', book, 'globex', '10 0 - 0 1000 1 2');
    const refused = { reason: 'schema_mismatch', message: expect.stringContaining('is being migrated') as string };
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject(refused);
    await ledger.migrate();
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('is migrated in steps, also by several processes at once, however much there is', async () => {
    const { ledger, connect, command } = await openRecorded(2, startMs);
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

describe.skipIf(server === undefined)(`a ledger of version 3${suffix}`, () => {
  async function migrated() {
    const recorded = await openRecorded(3, thirdMs);
    await recorded.ledger.migrate();
    return recorded;
  }

  /** Many entries over some months, with keys as version 3 has them. */
  async function openLarge() {
    const opened = await migrated();
    const { ledger, command } = opened;
    for (let first = 0; first < MANY; first += 50) {
      const holdId = `lost-${first}`;
      const [keyId, organizationId] = [`key-${first % 7}`, `org-${first % 3}`];
      await ledger.hold(holdOf(holdId, { amount: 0n, keyId, organizationId, expiresAtMs: thirdMs + 60_000 }));
      const losses = Array.from({ length: 50 }, (_, index) => {
        return { model: `model-${index % 9}`, provider: 'exa', cost: BigInt(index), reason: 'failed' };
      });
      await ledger.release(holdId, { reason: 'failed', losses });
    }
    for (const key of ['sums', 'sum-names', 'checkpoint']) await command('DEL', key);
    await command('HDEL', 'meta', 'packings', 'packed d', 'packed m', 'packed o');
    await command('HSET', 'meta', 'version', '3');
    return opened;
  }

  const callOf = async (ledger: RedisLedger, holdId: string) => {
    await ledger.hold(holdOf(holdId, { expiresAtMs: thirdMs + 60_000, tag: 'team-a' }));
    await ledger.settle(holdId, CHARGE);
  };

  test('is refused before it is migrated', async () => {
    const { ledger } = await openRecorded(3, thirdMs);
    await expect(ledger.findHold('open-1')).rejects.toMatchObject({ reason: 'schema_mismatch' });
  });

  test('gets its sums from the log, of several days and months', async () => {
    const { ledger } = await migrated();
    await expectSumsOfLog(ledger);
    expect((await ledger.usage({ by: 'day' })).length).toBeGreaterThan(6);
    expect(await ledger.audit()).toMatchObject({ openHolds: 2, differences: [] });
  });

  test('knows of its holds what was kept', async () => {
    const { ledger } = await migrated();
    const open = { status: 'open', organizationId: 'acme', keyId: 'key-1', createdAtMs: 0, endedAtMs: null };
    expect(await ledger.findHold('open-1')).toMatchObject({ ...open, model: 'exa/answer', provider: null });
    expect(await ledger.findHold('unpaid')).toMatchObject({
      status: 'expired',
      cost: 0n,
      createdAtMs: 0,
      endedAtMs: 0,
    });
    for (const id of ['settled-1', 'released-1', 'late', 'charged']) expect(await ledger.findHold(id)).toBeUndefined();
    const settled = { status: 'settled', cost: 7n, first: true };
    for (const id of ['open-1', 'open-2', 'unpaid']) expect(await ledger.settle(id, CHARGE)).toEqual(settled);
    expect(await ledger.findHold('open-1')).toMatchObject({ status: 'settled', createdAtMs: 0, endedAtMs: thirdMs });
    expect(await ledger.settle('late', CHARGE)).toEqual({ ...settled, first: false });
    expect((await ledger.audit()).differences).toEqual([]);
    await expectSumsOfLog(ledger);
  });

  test('books the losses of a release that comes late for a hold of before, once', async () => {
    const { ledger } = await migrated();
    const loss = { model: 'exa/answer', provider: 'exa', cost: 4n, reason: 'upstream_timeout' };
    const release = () => ledger.release('unpaid', { reason: 'upstream_timeout', losses: [loss] });
    const released = { status: 'released', cost: 0n, first: true };
    expect(await release()).toEqual(released);
    expect(await release()).toEqual({ ...released, first: false });
    expect((await ledger.entries()).entries.at(-1)).toMatchObject({ id: 'unpaid.loss.1', keyId: 'key-2', amount: 4n });
    expect((await ledger.audit()).differences).toEqual([]);
    await expectSumsOfLog(ledger);
  });

  test('serves others while its sums are filled in steps, and refuses usage until that is over', async () => {
    const { ledger, connect, step } = await openLarge();
    const incomplete = { reason: 'schema_mismatch', message: expect.stringContaining('are being filled') as string };
    for (let count = 0; count < 3; count += 1) {
      expect(await step()).toEqual(['more']);
      await callOf(ledger, `between-${count}`);
      for (const ask of ASKING) await expect(ask(ledger)).rejects.toMatchObject(incomplete);
    }
    // The process ends here. Others go on, and more is written beside them.
    const calls = Array.from({ length: 200 }, (_, index) => callOf(connect(), `beside-${index}`));
    await Promise.all([...[1, 2, 3].map(() => connect().migrate()), ...calls]);
    await expectSumsOfLog(ledger);
    expect(await ledger.usage({ by: 'tag', keyId: 'key-1' })).toMatchObject([{ group: 'team-a', charges: 203 }, {}]);
    expect((await ledger.audit()).differences).toEqual([]);
  });
});
