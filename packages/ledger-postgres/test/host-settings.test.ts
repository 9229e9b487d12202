import { describe, expect, it } from 'vitest';
import type { PostgresLedger } from '../src/index.js';
import { migratedDatabase } from './migrated-database.js';
import { chargeOf, grantOf, holdOf } from './requests.js';

const database = migratedDatabase();

async function spend(ledger: PostgresLedger): Promise<void> {
  await ledger.grant(grantOf({ amount: 2n ** 61n + 1n }));
  await ledger.hold(holdOf({ amount: 2n ** 60n + 1n }));
  await ledger.settle('hold-1', chargeOf({ cost: 2n ** 60n + 1n }));
  expect(await ledger.organizationTotals('acme')).toEqual({ credits: 2n ** 61n + 1n, usage: 2n ** 60n + 1n, held: 0n });
  expect((await ledger.entries()).entries.map(({ amount }) => amount)).toEqual([2n ** 61n + 1n, 2n ** 60n + 1n]);
  expect(await ledger.audit()).toMatchObject({ organizations: 1, entries: 2, differences: [] });
}

async function preparedCount(pool: { query(sql: string): Promise<{ rows: unknown[] }> }): Promise<unknown> {
  const { rows } = await pool.query(
    `SELECT count(*)::int4 AS count FROM pg_prepared_statements WHERE name LIKE 'searchgate%'`,
  );
  return rows[0];
}

describe('the settings of the host', () => {
  it('may parse numbers, JSON and booleans in any way', async () => {
    const pool = database().otherPool();
    const parsers = { getTypeParser: (oid: number) => (text: string) => (oid === 25 ? text : `parsed ${text.length}`) };
    Object.assign(pool.options, { types: parsers });
    await spend(database().ledger({ pool }));
  });

  it('prepare statements by default', async () => {
    for (const prepareStatements of [true, false]) {
      const pool = database().otherPool();
      pool.options.max = 1;
      const ledger = database().ledger({ pool, prepareStatements });
      await spend(ledger);
      const { count } = (await preparedCount(pool)) as { count: number };
      expect(count > 0).toBe(prepareStatements);
      await database().empty();
    }
  });

  it('may allow one connection only', async () => {
    const pool = database().otherPool();
    pool.options.max = 1;
    const ledger = database().ledger({ pool, batchers: 8 });
    await ledger.grant(grantOf());
    const holds = Array.from({ length: 50 }, (_, index) =>
      ledger.hold(holdOf({ holdId: `hold-${index}`, organizationId: index % 2 === 0 ? 'acme' : `org-${index}` })),
    );
    expect((await Promise.all(holds)).filter(({ status }) => status === 'held')).toHaveLength(25);
  });
});

describe('postgresLedger', () => {
  it('finishes what is under way before it is closed, and refuses everything from then on', async () => {
    const ledger = database().ledger();
    await ledger.grant(grantOf());
    const holds = Array.from({ length: 20 }, (_, index) => ledger.hold(holdOf({ holdId: `hold-${index}` })));
    await ledger.close();
    const soon = new Promise((resolve) => {
      setImmediate(resolve, 'still under way');
    });
    expect(await Promise.race([Promise.all(holds), soon])).toHaveLength(20);
    const closed = { reason: 'ledger_closed' };
    await expect(ledger.migrate()).rejects.toMatchObject(closed);
    await expect(ledger.audit()).rejects.toMatchObject(closed);
    await expect(ledger.apiKeys.findByHash('a'.repeat(64))).rejects.toMatchObject(closed);
    await expect(ledger.apiKeys.listOrganizations()).rejects.toMatchObject(closed);
    const claim = { keyId: 'key-1', idempotencyKey: 'order-17', claimId: 'claim-1', fingerprint: 'a'.repeat(64) };
    await expect(ledger.idempotency.free(claim)).rejects.toMatchObject(closed);
    expect((await database().ledger().organizationTotals('acme')).held).toBe(200n);
    expect(database().pool.ended).toBe(false);
  });
});
