import { dayOf, type LedgerEntry } from '@searchgate/core/ledger';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStorage, type Storage } from '../../test/storage.js';
import { watched } from '../../test/watched-database.js';
import { createConnection } from '../engine/connection.js';
import type { SqliteLedger } from '../index.js';
import { createUsageWriter } from './write-usage.js';

const AT_MS = Date.UTC(2026, 10, 22);
const MOST = 2n ** 63n - 1n;
/** Just within what may be added without looking. */
const HALF = 2n ** 62n;

let storage: Storage;
let ledger: SqliteLedger;
beforeEach(async () => {
  storage = createStorage();
  ledger = await storage.connect();
});
afterEach(() => storage.dispose());

const WHO = { id: 'id', organizationId: 'acme', atMs: AT_MS };
const SERVED = { keyId: 'key-1', model: 'exa/answer', provider: 'exa' };

function chargeOf(amount: bigint, changes: object = {}): LedgerEntry {
  return { ...WHO, ...SERVED, kind: 'charge', amount, costSource: 'reported', ...changes } as LedgerEntry;
}

const ENTRIES: Record<string, (amount: bigint) => LedgerEntry> = {
  charged: (amount) => chargeOf(amount),
  cached: (amount) => chargeOf(amount, { costSource: 'cached' }),
  upstreamCost: (upstreamCost) => chargeOf(0n, { upstreamCost }),
  adjusted: (amount) => ({ ...WHO, kind: 'adjustment', keyId: 'key-1', amount, note: '' }),
  granted: (amount) => ({ ...WHO, kind: 'grant', keyId: null, amount, note: '' }),
  lost: (amount) => ({ ...WHO, ...SERVED, kind: 'loss', amount, reason: 'failed' }),
};

/** Adds each entry in a transaction of its own. @returns the statements that wrote. */
function write(...entries: LedgerEntry[]): string[] {
  const { database, watch } = watched(storage.open());
  const connection = createConnection(database);
  const writer = createUsageWriter(connection);
  for (const entry of entries) {
    connection.transact(() => {
      writer.add(entry);
      writer.flush();
    });
  }
  return watch.statements.filter((sql) => /^(SELECT|INSERT|UPDATE)/.test(sql));
}

it.each(
  Object.entries(ENTRIES).flatMap(([sum, entryOf]) => [
    { sum, entryOf, first: HALF - 1n, second: MOST, expected: MOST },
    { sum, entryOf, first: HALF, second: HALF, expected: MOST },
    { sum, entryOf, first: HALF - 1n, second: HALF, expected: MOST },
    { sum, entryOf, first: 3n, second: 4n, expected: 7n },
  ]),
)('adds $second to $first of $sum, and stays at the most a column holds', async ({ sum, entryOf, ...amounts }) => {
  write(entryOf(amounts.first), entryOf(amounts.second));
  for (const by of ['organization', 'day'] as const) {
    expect(await ledger.usage({ by })).toMatchObject([{ [sum]: amounts.expected }]);
  }
});

it('stays at the least a column holds', async () => {
  const adjustment = ENTRIES['adjusted'] as (amount: bigint) => LedgerEntry;
  write(adjustment(1n - HALF), adjustment(-MOST));
  for (const by of ['organization', 'day'] as const) {
    expect(await ledger.usage({ by, fromDay: dayOf(AT_MS) })).toMatchObject([{ adjusted: -MOST }]);
  }
});

it.each(['charged', 'adjusted'])('changes a series and its day by a statement each where there is room: %s', (sum) => {
  const entryOf = ENTRIES[sum] as (amount: bigint) => LedgerEntry;
  write(entryOf(1n));
  expect(write(entryOf(2n)).map((sql) => sql.slice(0, 6))).toEqual(['UPDATE', 'UPDATE']);
  expect(write(entryOf(-HALF)).map((sql) => sql.slice(0, 6))).toEqual(['UPDATE', 'UPDATE']);
});

it('adds an entry once, however often it writes', async () => {
  const connection = createConnection(storage.open());
  const writer = createUsageWriter(connection);
  connection.transact(() => {
    writer.add(chargeOf(5n));
    writer.flush();
    writer.flush();
  });
  expect(await ledger.usage({ by: 'organization' })).toMatchObject([{ charges: 1, charged: 5n }]);
});
