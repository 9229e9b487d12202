import { isLedgerError } from '@searchgate/core/ledger';
import { type PostgresServer, startPostgres } from '@searchgate-internal/test-servers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type RunStatement } from '../src/engine/database.js';
import type { PostgresLedger } from '../src/index.js';
import { readPostgresLedgerOptions } from '../src/postgres-ledger-options.js';
import { migratedDatabase } from './migrated-database.js';
import { chargeOf, grantOf, holdOf } from './requests.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres({ ownServer: true });
}, 60_000);

// Runs after the one of the database, since the last to be set up is the first to be torn down.
afterAll(() => server.stop());

const database = migratedDatabase(() => ({ serverUrl: server.url }));

const TEAM = { id: 'team', limit: 10n ** 12n, limitReset: 'daily', isKept: false } as const;

interface Work {
  readonly settled: string[];
  readonly stop: () => Promise<void>;
}

/** Holds and settles without end. What is acknowledged is written down; what fails is tried again with the next id. */
function work(ledger: PostgresLedger, callers: number): Work {
  const settled: string[] = [];
  let stopped = false;
  const working = Array.from({ length: callers }, async (_, caller) => {
    for (let index = 0; !stopped; index += 1) {
      const holdId = `hold-${caller}-${index}`;
      try {
        const budgets = [TEAM, { ...TEAM, id: `user-${index % 20}`, limit: null }];
        await ledger.hold(holdOf({ holdId, organizationId: `org-${caller % 5}`, amount: 7n, budgets }));
        await ledger.settle(holdId, chargeOf());
        settled.push(holdId);
      } catch (error) {
        if (isLedgerError(error)) throw error;
      }
    }
  });
  const stop = async () => {
    stopped = true;
    await Promise.all(working);
  };
  return { settled, stop };
}

async function acknowledged({ settled }: Work, more: number): Promise<void> {
  const goal = settled.length + more;
  await expect.poll(() => settled.length, { timeout: 30_000, interval: 5 }).toBeGreaterThanOrEqual(goal);
}

async function assertBooks(ledger: PostgresLedger, { settled }: Work): Promise<void> {
  const report = await ledger.audit();
  expect(report.differences).toEqual([]);
  const charges = await database().run(`SELECT id FROM searchgate.entries WHERE kind = 'charge'`);
  const charged = new Set(charges.map(({ id }) => id));
  expect(charged.size).toBe(charges.length);
  expect(settled.filter((id) => !charged.has(id))).toEqual([]);
}

async function grantAll(ledger: PostgresLedger): Promise<void> {
  for (let index = 0; index < 5; index += 1) {
    await ledger.grant(grantOf({ grantId: `grant-${index}`, organizationId: `org-${index}`, amount: 10n ** 12n }));
  }
}

describe('postgresLedger', { timeout: 60_000 }, () => {
  it('goes on when its connections are cut off in the middle of everything', async () => {
    const ledger = database().ledger();
    await grantAll(ledger);
    const working = work(ledger, 16);
    for (let round = 0; round < 3; round += 1) {
      await acknowledged(working, 50);
      await database().run(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    }
    await acknowledged(working, 50);
    await working.stop();
    await assertBooks(ledger, working);
  });

  it('keeps what it acknowledged through a crash and an orderly restart of the server, and goes on', async () => {
    const ledger = database().ledger();
    await grantAll(ledger);
    const working = work(ledger, 16);
    await acknowledged(working, 50);
    await server.kill();
    await server.start();
    await acknowledged(working, 50);
    await server.restart();
    await acknowledged(working, 50);
    await working.stop();
    await assertBooks(ledger, working);
  });

  it('gives up with the error of the driver while the server stays away, and works again when it is back', async () => {
    const ledger = database().ledger();
    await ledger.grant(grantOf());
    await server.kill();
    await expect(ledger.hold(holdOf())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.start();
    expect(await ledger.hold(holdOf())).toMatchObject({ status: 'held' });
  });

  it('outlives a connection that is lost between two statements of a transaction', async () => {
    const internals = createDatabase(readPostgresLedgerOptions({ pool: database().pool }));
    let attempts = 0;
    const loseConnection = async (run: RunStatement) => {
      const [row] = await run('SELECT pg_backend_pid() AS pid');
      await database().run('SELECT pg_terminate_backend($1)', [row?.['pid']]);
      const answers = () =>
        run('SELECT 1').then(
          () => true,
          () => false,
        );
      await expect.poll(answers).toBe(false);
    };
    const answer = await internals.transaction('BEGIN', async (run) => {
      attempts += 1;
      if (attempts === 1) await loseConnection(run);
      return (await run('SELECT 2 AS two'))[0]?.['two'];
    });
    expect([answer, attempts]).toEqual([2, 2]);
  });
});
