import { readFileSync } from 'node:fs';
import { createFakeClock } from '@searchgate/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chargeOf, grantOf, holdOf } from './requests.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';

let database: TestDatabase;
const DAY_MS = 86_400_000;
/** The day after the first entries of the dumps, when its open holds were made. */
const NOW_MS = Date.UTC(2026, 10, 17) + DAY_MS;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(() => database.drop());

/** A dump changes settings of its session, so it gets one of its own. */
async function restore(version: number): Promise<void> {
  const client = await database.otherPool().connect();
  await client.query(readFileSync(new URL(`fixtures/version-${version}.sql`, import.meta.url), 'utf8'));
  client.release(true);
}

describe.each([3, 5, 7, 8, 9])('a database at version %i', (version) => {
  function openLedger() {
    const clock = createFakeClock(NOW_MS);
    return { clock, ledger: database.ledger({ clock }) };
  }

  it('serves no caller until it is migrated', async () => {
    await restore(version);
    const { ledger } = openLedger();
    const mismatch = { reason: 'schema_mismatch' };
    await expect(ledger.organizationTotals('acme')).rejects.toMatchObject(mismatch);
    await expect(ledger.hold(holdOf())).rejects.toMatchObject(mismatch);
  });

  it('keeps all it holds when it is migrated', async () => {
    await restore(version);
    const { ledger } = openLedger();
    await ledger.migrate();
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 12n, held: 10n });
    expect(await ledger.organizationTotals('globex')).toEqual({ credits: 500n, usage: 0n, held: 30n });
    expect(await ledger.keyTotals('key-1', 'daily')).toEqual({ usage: 12n, held: 10n, windowUsage: 7n });
    expect((await ledger.entries()).entries.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'grant grant-1',
      'grant grant-2',
      'adjustment adjustment-1',
      'expired expired.expired',
      'loss settled.loss.1',
      'charge settled',
    ]);
    expect(await ledger.audit()).toMatchObject({ organizations: 2, keys: 2, openHolds: 2, differences: [] });
    const unlimited = {
      rateLimit: null,
      maxConcurrent: null,
      organizationRateLimit: null,
      organizationMaxConcurrent: null,
    };
    expect(await ledger.apiKeys.findByHash('a'.repeat(64))).toMatchObject({ id: 'key-1', limit: 5_000n, ...unlimited });
    const claim = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-2' };
    const again = { ...claim, fingerprint: 'b'.repeat(64), nowMs: NOW_MS, expiresAtMs: NOW_MS + 60_000 };
    expect(await ledger.idempotency.claim(again)).toMatchObject({ status: 'finished', response: { status: 200 } });
  });

  it('knows the holds of before, as far as was kept of them', async () => {
    await restore(version);
    const { ledger } = openLedger();
    await ledger.migrate();
    const hold = { organizationId: 'acme', keyId: 'key-1', model: 'exa/answer', provider: null, cost: 0n };
    const open = { holdId: 'open', ...hold, status: 'open', createdAtMs: 0, endedAtMs: null } as const;
    expect(await ledger.findHold('open')).toEqual(open);
    const ended = { createdAtMs: NOW_MS, endedAtMs: NOW_MS };
    expect(await ledger.findHold('settled')).toEqual({
      holdId: 'settled',
      ...hold,
      ...ended,
      status: 'settled',
      cost: 7n,
    });
    await ledger.settle('open', chargeOf({ model: 'exa/other' }));
    const settled = { ...open, status: 'settled', cost: 7n, model: 'exa/other', provider: 'exa' };
    expect(await ledger.findHold('open')).toEqual({ ...settled, ...ended });
  });

  it('sums up the log of before', async () => {
    await restore(version);
    const { ledger } = openLedger();
    await ledger.migrate();
    const nothing = {
      charges: 0,
      charged: 0n,
      cachedCharges: 0,
      cached: 0n,
      upstreamCost: 0n,
      adjusted: 0n,
      lost: 0n,
    };
    expect(await ledger.usage({ by: 'organization' })).toEqual([
      { ...nothing, group: 'acme', charges: 1, charged: 7n, adjusted: 5n, granted: 1_000n, lost: 3n },
      { ...nothing, group: 'globex', granted: 500n },
    ]);
  });

  it('goes on with the holds, grants and endings of before when it is migrated', async () => {
    await restore(version);
    const { ledger, clock } = openLedger();
    await ledger.migrate();
    const one = { organizationId: 'globex', keyMaxConcurrent: 1, organizationMaxConcurrent: 1 };
    expect(await ledger.hold(holdOf({ ...one, keyId: 'key-1' }))).toEqual({ status: 'refused', by: 'key_concurrency' });
    const other = await ledger.hold(holdOf({ ...one, keyId: 'key-3' }));
    expect(other).toEqual({ status: 'refused', by: 'organization_concurrency' });
    expect(await ledger.settle('open', chargeOf())).toEqual({ status: 'settled', cost: 7n, first: true });
    expect(await ledger.settle('settled', chargeOf())).toEqual({ status: 'settled', cost: 7n, first: false });
    expect(await ledger.settle('expired', chargeOf({ cost: 2n }))).toMatchObject({ status: 'settled', first: true });
    await expect(ledger.hold(holdOf({ holdId: 'released' }))).rejects.toMatchObject({ reason: 'duplicate_hold' });
    expect(await ledger.grant(grantOf())).toEqual({ applied: false });
    await expect(ledger.grant(grantOf({ amount: 1n }))).rejects.toMatchObject({ reason: 'duplicate_grant' });
    await clock.advance(2 * DAY_MS);
    expect(await ledger.expireHolds(clock.now(), 'charge')).toBe(1);
    expect(await ledger.organizationTotals('globex')).toEqual({ credits: 500n, usage: 30n, held: 0n });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('books the losses of a release that comes late for a hold of before, once', async () => {
    await restore(version);
    const { ledger } = openLedger();
    await ledger.migrate();
    const loss = { model: 'exa/answer', provider: 'exa', cost: 4n, reason: 'upstream_timeout' };
    const release = () => ledger.release('expired', { reason: 'upstream_timeout', losses: [loss] });
    expect(await release()).toEqual({ status: 'released', cost: 0n, first: true });
    expect(await release()).toEqual({ status: 'released', cost: 0n, first: false });
    expect(await ledger.organizationTotals('acme')).toEqual({ credits: 1_000n, usage: 12n, held: 10n });
    const [row] = await ledger.usage({ by: 'organization' });
    expect(row).toMatchObject({ group: 'acme', charged: 7n, lost: 7n });
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('keeps the grants on the view of the version', async () => {
    await restore(version);
    const role = `reader_${process.pid}_${version}`;
    await database.run(`CREATE ROLE ${role}`);
    try {
      await database.run(`GRANT SELECT ON searchgate.version_${version} TO ${role}`);
      await database.ledger().migrate();
      const [row] = await database.run(
        `SELECT bool_and(has_table_privilege($1, oid, 'SELECT')) AS may FROM pg_class
        WHERE relnamespace = 'searchgate'::regnamespace AND relkind = 'v'`,
        [role],
      );
      expect(row).toEqual({ may: true });
    } finally {
      await database.run(`DROP OWNED BY ${role}`);
      await database.run(`DROP ROLE ${role}`);
    }
  });
});
