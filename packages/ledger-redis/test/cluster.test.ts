import { Redis } from 'ioredis';
import { createCluster } from 'redis';
import { describe, expect, test } from 'vitest';
import { type RedisClient, redisLedger } from '../src/index.js';
import { CHARGE, grantOf, holdOf } from './open-ledger.js';
import { freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason({ cluster: true });

describe.skipIf(server === undefined)(`in a Cluster${suffix}`, () => {
  if (server === undefined) return;
  const { hostname: host, port } = new URL(server.url);
  /** Every kind of script once: one that named a key of another slot would be refused. */
  async function assertWorks(client: RedisClient): Promise<void> {
    const ledger = redisLedger({ client, prefix: freshPrefix() });
    await ledger.migrate();
    await ledger.grant(grantOf(100n));
    await ledger.hold(holdOf('settled'));
    await ledger.hold(holdOf('expired', { expiresAtMs: 1 }));
    const rated = { organizationId: 'acme', keyId: 'key-1', keyRateLimit: { requests: 3, periodMs: 86_400_000 } };
    expect(await ledger.admit(rated)).toMatchObject({ status: 'admitted' });
    expect((await ledger.ratesUsed(rated)).key).toBeCloseTo(1, 1);
    await ledger.settle('settled', CHARGE);
    expect(await ledger.expireHolds(Date.now())).toBe(1);
    await ledger.settle('expired', { ...CHARGE, cost: 10n });
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 100n, usage: 17n, held: 0n });
    expect((await ledger.entries({ keyId: 'key-1' })).entries).toHaveLength(3);
    await ledger.apiKeys.insertOrganization({ id: 'acme', name: 'Acme', createdAtMs: 1, suspendedAtMs: null });
    expect((await ledger.apiKeys.listOrganizations()).items).toHaveLength(1);
    const nowMs = Date.now();
    const claim = { keyId: 'key-1', idempotencyKey: 'order 17', claimId: 'one', fingerprint: 'a'.repeat(64) };
    const claimed = await ledger.idempotency.claim({ ...claim, nowMs, expiresAtMs: nowMs + 60_000 });
    expect(claimed).toEqual({ status: 'claimed' });
    expect((await ledger.audit()).differences).toEqual([]);
    await ledger.close();
  }

  test('works over the cluster client of ioredis', async () => {
    const client = new Redis.Cluster([{ host, port: Number(port) }]);
    await assertWorks(client);
    client.disconnect();
  });

  test('works over the cluster client of redis', async () => {
    const client = createCluster({ rootNodes: [{ url: server.url }] });
    await client.connect();
    await assertWorks(client);
    client.destroy();
  });
});
