import { readFileSync } from 'node:fs';
import { createFakeClock } from '@searchgate/testing';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { redisLedger } from '../src/index.js';
import { LEDGER_KEYS } from '../src/lua/opening.js';
import { CHARGE, holdOf } from './open-ledger.js';
import { connectIoRedis, freshPrefix, serverOrReason } from './with-redis.js';

const { server, suffix } = await serverOrReason();

interface Version1 {
  /** What writes the keys of a ledger again, without the prefix. */
  readonly commands: readonly (readonly string[])[];
  /** What the code of version 1 said of that ledger; amounts are written like `7n`. */
  readonly seen: { readonly nowMs: number; readonly [what: string]: unknown };
}

const { commands, seen } = JSON.parse(
  readFileSync(new URL('./fixtures/version-1.json', import.meta.url), 'utf8'),
  (_, value: unknown) => (typeof value === 'string' && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value),
) as Version1;

describe.skipIf(server === undefined)(`migrate, on keys of version 1${suffix}`, () => {
  if (server === undefined) return;
  const connected = connectIoRedis(server.url);
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });
  afterAll(async () => {
    (await connected).end();
    await server.stop();
  });

  /** A ledger whose keys are those that version 1 wrote, at the moment at which it stopped. */
  async function openVersion1() {
    const { client } = await connected;
    const prefix = freshPrefix();
    const call = async (command: string, key: string, ...values: string[]) =>
      'call' in client ? client.call(command, `{${prefix}}:${key}`, ...values) : undefined;
    for (const [command = '', key = '', ...values] of commands) await call(command, key, ...values);
    const clock = createFakeClock();
    await clock.advance(seen.nowMs - clock.now());
    const ledger = redisLedger({ client, prefix, clock });
    endings.push(() => ledger.close());
    const keys = async () => (await call('KEYS', '*')) as string[];
    return { ledger, clock, call, keys };
  }

  test('is asked for by every verb', async () => {
    const { ledger } = await openVersion1();
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject({ reason: 'schema_mismatch' });
  });

  test('keeps every counter, entry, key and organization, and leaves none of the old keys', async () => {
    const { ledger, keys } = await openVersion1();
    await ledger.migrate();
    await ledger.migrate();
    const report = { organizations: 2, keys: 2, entries: 78, openHolds: 1, differences: [] };
    expect(await ledger.audit()).toEqual(report);
    const { apiKeys } = ledger;
    expect({
      nowMs: seen.nowMs,
      organizations: {
        acme: await ledger.organizationTotals('acme'),
        globex: await ledger.organizationTotals('globex'),
      },
      keys: {
        'key-1': await ledger.keyTotals('key-1', 'monthly'),
        'key-2': await ledger.keyTotals('key-2', 'daily'),
      },
      entriesOfKey: (await ledger.entries({ keyId: 'key-1', limit: 1_000 })).entries.map(({ id }) => id),
      listed: (await apiKeys.listKeys()).items,
      listedOfAcme: (await apiKeys.listKeys({ organizationId: 'acme' })).items,
      listedOrganizations: (await apiKeys.listOrganizations()).items,
      found: await apiKeys.findByHash('1'.padEnd(64, '0')),
    }).toEqual(seen);
    // Claims and what sweeps have done are forgotten by themselves.
    expect((await keys()).filter((key) => !/:(?:claim|sweep):/.test(key))).toHaveLength(LEDGER_KEYS.length);
  });

  test('keeps how holds stand, and what ids were used for', async () => {
    const { ledger, clock } = await openVersion1();
    await ledger.migrate();
    expect(await ledger.settle('call-7', CHARGE)).toEqual({ status: 'settled', cost: 7n, first: false });
    expect(await ledger.release('released', { reason: '' })).toMatchObject({ status: 'released', first: false });
    expect(await ledger.settle('charged', CHARGE)).toEqual({ status: 'expired', cost: 10n, first: false });
    expect(await ledger.settle('unpaid', CHARGE)).toEqual({ status: 'settled', cost: 7n, first: true });
    await expect(ledger.hold(holdOf('call-8'))).rejects.toMatchObject({ reason: 'duplicate_hold' });
    const grant = { grantId: 'grant-1', organizationId: 'acme', amount: 100_000n, note: '' };
    expect(await ledger.grant(grant)).toEqual({ applied: false });
    await expect(ledger.grant({ ...grant, amount: 1n })).rejects.toMatchObject({ reason: 'duplicate_grant' });
    const adjustment = { adjustmentId: 'adjustment-1', organizationId: 'acme', keyId: 'key-1', amount: -3n, note: '' };
    expect(await ledger.adjust(adjustment)).toEqual({ applied: false });
    await clock.advance(60_000);
    expect(await ledger.expireHolds(clock.now())).toBe(1);
    const claim = { keyId: 'key-1', idempotencyKey: 'a', claimId: 'two', fingerprint: 'f'.repeat(64) };
    const nowMs = clock.now();
    const claimed = await ledger.idempotency.claim({ ...claim, nowMs, expiresAtMs: nowMs + 1 });
    expect(claimed).toEqual({ status: 'in_progress' });
    expect((await ledger.audit()).differences).toEqual([]);
  });
});
