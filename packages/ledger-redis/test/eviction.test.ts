import { ConfigurationError } from '@searchgate/core/ledger';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { redisLedger } from '../src/index.js';
import { LEDGER_KEYS } from '../src/lua/opening.js';
import { CHARGE, grantOf, holdOf, openLedger } from './open-ledger.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

// It is configured to evict.
const { server, suffix } = await serverOrReason({ ownServer: true });
const POLICIES = ['allkeys-lru', 'allkeys-lfu', 'allkeys-random', 'volatile-lru', 'volatile-ttl'];
const A_GIGABYTE = `${2 ** 30}`;
const missing = { reason: 'schema_mismatch' };

describe.skipIf(server === undefined)(`a server that throws keys away${suffix}`, () => {
  if (server === undefined) return;
  const connected = connectIoRedis(server.url);
  const command = async (...[name, ...values]: [string, ...string[]]) => {
    const { client } = await connected;
    return 'call' in client ? client.call(name, ...values) : undefined;
  };
  const configure = async (maxMemory: string, policy: string) => {
    await command('CONFIG', 'SET', 'maxmemory', maxMemory, 'maxmemory-policy', policy);
  };
  const open = async (allowEviction?: boolean) => {
    const { client } = await connected;
    return redisLedger({ client, prefix: freshPrefix(), ...(allowEviction && { allowEviction }) });
  };
  afterEach(() => configure('0', 'noeviction'));
  afterAll(async () => (await connected).end());

  for (const policy of POLICIES) {
    test(`is refused with ${policy}, by migrate and by every operation`, async () => {
      await configure(A_GIGABYTE, policy);
      const ledger = await open();
      await expect(ledger.migrate()).rejects.toThrow(ConfigurationError);
      await expect(ledger.organizationTotals('acme')).rejects.toThrow(`found ${policy}`);
    });
  }

  test('is used as soon as it no longer does', async () => {
    await configure(A_GIGABYTE, 'allkeys-lru');
    const ledger = await open();
    await expect(ledger.migrate()).rejects.toThrow(ConfigurationError);
    await configure(A_GIGABYTE, 'noeviction');
    await ledger.migrate();
    expect(await ledger.grant(grantOf(5n))).toEqual({ applied: true });
  });

  test('is used where its memory has no limit, whatever its policy', async () => {
    await configure('0', 'allkeys-lru');
    await (await open()).migrate();
  });

  test('is used where the host insists', async () => {
    await configure(A_GIGABYTE, 'allkeys-lru');
    await (await open(true)).migrate();
  });

  test('is refused where it does not say', async () => {
    await command('ACL', 'SETUSER', 'ledger', 'on', '>secret', '~*', '+eval', '+evalsha', '+hget');
    const url = new URL(server.url);
    [url.username, url.password] = ['ledger', 'secret'];
    const { client, end } = await connectIoRedis(url.href);
    const ledger = redisLedger({ client, prefix: freshPrefix() });
    await expect(ledger.migrate()).rejects.toThrow('does not say whether it evicts keys');
    end();
  });
});

describe.skipIf(server === undefined)(`books of which a part has vanished${suffix}`, () => {
  if (server === undefined) return;
  const openWithSome = async () => {
    const opened = await openLedger(server.url);
    await opened.ledger.grant(grantOf(100n));
    await opened.ledger.hold(holdOf('hold-1'));
    return opened;
  };

  test('are never read as zero: whichever key is gone, no call is served from the others', async () => {
    const { ledger, prefix, command } = await openWithSome();
    const keys = (await command('KEYS', `{${prefix}}:*`)) as string[];
    expect(keys).toHaveLength(LEDGER_KEYS.length);
    for (const [index, key] of keys.entries()) {
      await command('RENAME', key, `gone:${key}`);
      // Some operation needs every one of them.
      const operations = [
        ledger.hold(holdOf(`hold-2-${index}`)),
        ledger.settle('hold-1', CHARGE),
        ledger.grant(grantOf(1n, 'grant-2')),
        ledger.adjust({ adjustmentId: 'one', organizationId: 'acme', amount: 0n, note: '' }),
        ledger.usage({ by: 'day' }),
        ledger.removeEntries('1'),
        ledger.apiKeys.listKeys(),
        ledger.apiKeys.listKeys({ organizationId: 'acme' }),
        ledger.apiKeys.listOrganizations(),
        ledger.apiKeys.findByHash('a'.repeat(64)),
        ledger.apiKeys.deleteBudget('acme', 'unknown'),
        ledger.requests.erase('acme'),
        ledger.changes.erase('acme'),
        ledger.instances.beat({ id: 'a', name: 'a', startedAtMs: 0, seenAtMs: 0 }),
      ];
      const ends = await Promise.allSettled(operations);
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as object] : []));
      expect(refused.length).toBeGreaterThan(0);
      for (const reason of refused) expect(reason).toMatchObject(missing);
      await expect(ledger.migrate()).rejects.toMatchObject(missing);
      await command('RENAME', `gone:${key}`, key);
    }
    expect((await ledger.audit()).differences).toEqual([]);
  });

  test('are refused to a process that goes on after everything was flushed', async () => {
    const { ledger, prefix, command } = await openWithSome();
    await command('DEL', ...((await command('KEYS', `{${prefix}}:*`)) as [string, ...string[]]));
    await expect(ledger.hold(holdOf('hold-2'))).rejects.toMatchObject(missing);
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject(missing);
  });

  test('have the same keys from the first migrate on, whatever is written', async () => {
    const { ledger, prefix, command } = await openWithSome();
    const keysNow = async () => ((await command('KEYS', `{${prefix}}:*`)) as string[]).sort();
    const before = await keysNow();
    await ledger.settle('hold-1', CHARGE);
    await ledger.hold(holdOf('hold-2', { expiresAtMs: 1 }));
    await ledger.expireHolds(Date.now());
    await ledger.apiKeys.insertOrganization({ id: 'globex', name: null, createdAtMs: 1, suspendedAtMs: null });
    expect(await keysNow()).toEqual(before);
  });
});
