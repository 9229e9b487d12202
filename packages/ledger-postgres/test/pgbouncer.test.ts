import { describe, expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { chargeOf, grantOf, holdOf } from './requests.js';
import { throughPgbouncer } from './through-pgbouncer.js';
import { watchedPool } from './watched-pool.js';

const { options, unavailable, note } = await throughPgbouncer();

describe.skipIf(unavailable)(`behind a PgBouncer in transaction mode${note}`, () => {
  const database = migratedDatabase(() => options);

  it('gives up the names of statements at the first that is lost, and sends none from then on', async () => {
    const { pool, sent, failures } = watchedPool(database().pool);
    const ledger = database().ledger({ pool });
    await ledger.grant(grantOf({ amount: 1_000_000n }));
    const pair = async (holdId: string) => {
      await ledger.hold(holdOf({ holdId }));
      await ledger.settle(holdId, chargeOf());
    };
    await pair('prepared');
    // PgBouncer gives out the connection used last. A transaction of another client keeps it, so the names are not there next time.
    const other = await database().otherPool().connect();
    await other.query({ text: 'BEGIN' });
    await other.query({ text: 'SELECT 1' });
    await pair('lost');
    await other.query({ text: 'COMMIT' });
    other.release();
    expect(['26000', '42P05']).toContain(failures[0]);
    sent.length = 0;
    failures.length = 0;
    await Promise.all(Array.from({ length: 50 }, (_, index) => pair(`later-${index}`)));
    expect(new Set(sent)).toEqual(new Set(['unnamed']));
    expect(failures).toEqual([]);
    expect((await ledger.audit()).differences).toEqual([]);
  });

  it('sends no names at all where the host says so', async () => {
    const { pool, sent, failures } = watchedPool(database().pool);
    const ledger = database().ledger({ pool, prepareStatements: false });
    await ledger.grant(grantOf());
    expect(await ledger.apiKeys.findByHash('a'.repeat(64))).toBeUndefined();
    expect([sent, failures]).toEqual([['unnamed', 'unnamed'], []]);
  });

  it('leaves no setting and no lock behind on the connections that are shared', async () => {
    const ledger = database().ledger();
    await ledger.migrate();
    await ledger.grant(grantOf());
    await ledger.audit();
    const locks = `SELECT count(*)::int4 AS locks FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.locktype = 'advisory'`;
    const settings = `SELECT name FROM pg_settings WHERE source = 'session' AND name IN
      ('search_path', 'enable_seqscan', 'plan_cache_mode', 'transaction_isolation', 'lock_timeout')`;
    for (let round = 0; round < 4; round += 1) {
      expect(await database().run(locks)).toEqual([{ locks: 0 }]);
      expect(await database().run(settings)).toEqual([]);
    }
  });
});
