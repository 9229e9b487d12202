import { systemClock } from '@searchgate/core/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SqliteLedger, sqliteLedger } from '../src/index.js';
import type { Handle } from './drivers.js';
import { EVERY_OPERATION, FIRST_GRANT, NOW_MS } from './every-operation.js';
import { fillLedger } from './fill-ledger.js';
import { createStorage, type Storage } from './storage.js';

/** How much SQLite has done for one statement. */
interface StatementWork {
  readonly sql: string;
  /** How often it was run. */
  readonly runs: number;
  /** Instructions of SQLite's virtual machine, in all runs together: https://www.sqlite.org/stmt.html (2026-11-22). */
  readonly steps: number;
}

const READ_WORK = 'SELECT sql, run AS runs, nstep AS steps FROM sqlite_stmt';

/** What each statement of a handle has done while `work` ran. Nothing here depends on how busy the machine is. */
async function workDuring(database: Handle, work: () => Promise<unknown>): Promise<StatementWork[]> {
  const before = new Map(workSoFar(database).map((each) => [each.sql, each]));
  await work();
  return workSoFar(database)
    .map(({ sql, runs, steps }) => {
      const earlier = before.get(sql) ?? { runs: 0, steps: 0 };
      return { sql, runs: runs - earlier.runs, steps: steps - earlier.steps };
    })
    .filter(({ runs }) => runs > 0);
}

function stepsOf(work: readonly StatementWork[]): number {
  return work.reduce((sum, { steps }) => sum + steps, 0);
}

function workSoFar(database: Handle): StatementWork[] {
  const rows = database.prepare(READ_WORK).all() as StatementWork[];
  return rows.filter(({ sql }) => sql !== READ_WORK);
}

const FEW = 1_000;
const MANY = 100_000;
/** Two places are found by halving, a few more times in a longer log. */
const STEPS_OF_HALVING = 400;
/** What one statement may take while the event loop waits: some milliseconds. */
const MOST_STEPS_AT_ONCE = 50_000;
/** Filling and auditing take some seconds; a busy machine is no failure. */
const BUSY_MACHINE_MS = 120_000;

interface Filled {
  readonly storage: Storage;
  readonly database: Handle;
  readonly ledger: SqliteLedger;
}

const clock = { ...systemClock, now: () => NOW_MS };
const filled = new Map<number, Filled>();

beforeAll(async () => {
  for (const count of [FEW, MANY]) {
    const storage = createStorage();
    const database = storage.open();
    const ledger = sqliteLedger({ database, clock });
    await ledger.migrate();
    fillLedger(database, count, NOW_MS);
    await ledger.grant(FIRST_GRANT);
    filled.set(count, { storage, database, ledger });
  }
}, BUSY_MACHINE_MS);
afterAll(() => Promise.all([...filled.values()].map(({ storage }) => storage.dispose())));

function ledgerWith(count: number): Filled {
  const found = filled.get(count);
  if (found === undefined) throw new Error(`no ledger was filled with ${count} rows`);
  return found;
}

/** How many steps each statement took at a time, in a ledger with many rows. */
async function stepsAtOnce(work: (ledger: SqliteLedger) => Promise<void>) {
  const { database, ledger } = ledgerWith(MANY);
  const done = await workDuring(database, () => work(ledger));
  return done.map(({ sql, runs, steps }) => ({ sql, stepsAtOnce: steps / runs }));
}

describe('a ledger that has grown', () => {
  it.each(Object.entries(EVERY_OPERATION))(
    `takes no more steps for %s with ${MANY} rows in each table than with ${FEW}`,
    async (name, operation) => {
      const steps: number[] = [];
      for (const count of [FEW, MANY]) {
        const { database, ledger } = ledgerWith(count);
        await operation(ledger, `${name}-before`.replaceAll(' ', '-'));
        steps.push(
          stepsOf(await workDuring(database, () => operation(ledger, `${name}-measured`.replaceAll(' ', '-')))),
        );
      }
      const [few = 0, many = 0] = steps;
      expect(few).toBeGreaterThan(0);
      expect(many).toBeLessThanOrEqual(few + STEPS_OF_HALVING);
    },
  );

  it(
    'is audited in short slices',
    async () => {
      const work = await stepsAtOnce(async (ledger) => {
        const { entries, differences } = await ledger.audit();
        expect(entries).toBeGreaterThan(MANY);
        expect(differences).toEqual([]);
      });
      expect(work.filter((each) => each.stepsAtOnce > MOST_STEPS_AT_ONCE)).toEqual([]);
    },
    BUSY_MACHINE_MS,
  );

  it(
    'looks in short slices for the entries of a key that is of another organization',
    async () => {
      const work = await stepsAtOnce(async (ledger) => {
        expect(await ledger.entries({ organizationId: 'busy-1', keyId: 'busy-2' })).toEqual({
          entries: [],
          nextCursor: null,
        });
      });
      expect(work.filter((each) => each.stepsAtOnce > MOST_STEPS_AT_ONCE)).toEqual([]);
    },
    BUSY_MACHINE_MS,
  );
});
