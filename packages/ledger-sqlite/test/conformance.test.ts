import {
  apiKeyRegistryConformance,
  auditLogConformance,
  createFakeClock,
  idempotencyConformance,
  instanceBoardConformance,
  ledgerConformance,
  requestLogConformance,
  tenantKeyStoreConformance,
} from '@searchgate/testing';
import { chosenRows } from '@searchgate-internal/test-servers/chosen-rows';
import { describe, expect, it } from 'vitest';
import type { SqliteLedger } from '../src/index.js';
import { DRIVERS, type Driver, type Handle, libsql, MISSING, NODE_MAJOR } from './drivers.js';
import { createStorage } from './storage.js';

const SHARED = { connections: true, reopen: true } as const;

/** What each contract's suite starts a test with. Opening again leaves the old handle as it is, as a killed process does. */
async function createUnder(driver: Driver) {
  const clock = createFakeClock();
  const storage = createStorage(driver, clock);
  const ledger = await storage.connect();
  const { now, advance, setBack } = clock;
  return { ledger, storage, now, advance, setBack, dispose: () => storage.dispose() };
}

/** Every value of every table. Drivers give bytes in forms of their own. */
function dumpOf(handle: Handle): string {
  const read = (sql: string) => handle.prepare(sql).all() as Record<string, string>[];
  return read("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .flatMap(({ name = '' }) => {
      const columns = read(`SELECT name FROM pragma_table_info('${name}')`).map(
        (column) => `CAST(${column['name']} AS TEXT)`,
      );
      return read(`SELECT concat_ws(' ', ${columns.join(', ')}) AS row FROM ${name}`).map(({ row }) => row);
    })
    .join('\n');
}

function testContracts(driver: Driver): void {
  const rows = driver === libsql ? { describe, it } : chosenRows({ describe, it }, 10);
  ledgerConformance({
    ...rows,
    randomRuns: 12,
    supports: { clock: true, removal: true, ...SHARED },
    create: async () => {
      const { storage, ...under } = await createUnder(driver);
      return { ...under, removal: under.ledger, connect: () => storage.connect(), reopen: () => storage.connect() };
    },
  });
  apiKeyRegistryConformance({
    ...rows,
    supports: SHARED,
    create: async () => {
      const { storage, ledger, ...under } = await createUnder(driver);
      const connect = async () => (await storage.connect()).apiKeys;
      return { ...under, registry: ledger.apiKeys, connect, reopen: connect };
    },
  });
  const part = async <Part>(of: (ledger: SqliteLedger) => Part) => {
    const { ledger, dispose } = await createUnder(driver);
    return { ...of(ledger), dispose };
  };
  auditLogConformance({ ...rows, create: () => part(({ changes }) => ({ log: changes })) });
  instanceBoardConformance({ ...rows, create: () => part(({ instances }) => ({ board: instances })) });
  tenantKeyStoreConformance({ ...rows, create: () => part(({ tenantKeys }) => ({ store: tenantKeys })) });
  requestLogConformance({ ...rows, create: () => part(({ requests }) => ({ log: requests })) });
  idempotencyConformance({
    ...rows,
    supports: { ...SHARED, erase: 'dumped' },
    create: async () => {
      const { storage, ledger, ...under } = await createUnder(driver);
      const connect = async () => (await storage.connect()).idempotency;
      const dump = async () => dumpOf(storage.open());
      return { ...under, store: ledger.idempotency, connect, reopen: connect, dump };
    },
  });
}

describe.each(DRIVERS)('sqliteLedger over $name', (driver) => {
  testContracts(driver);
});

describe.each(MISSING)('sqliteLedger over $name', ({ name, needsNode }) => {
  it(`is not tested on ${process.version}: ${name} needs Node ${needsNode}`, () => {
    expect(NODE_MAJOR).toBeLessThan(needsNode);
  });
});
