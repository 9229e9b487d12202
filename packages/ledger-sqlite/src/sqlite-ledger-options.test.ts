import { ConfigurationError } from '@searchgate/core/ledger';
import { expect, it } from 'vitest';
import { libsql } from '../test/drivers.js';
import { type SqliteLedgerOptions, sqliteLedger } from './index.js';

const database = libsql.open(':memory:');

function closedHandle() {
  const handle = libsql.open(':memory:');
  handle.close();
  return handle;
}

it.each<[string, object, string]>([
  ['no database', {}, 'sqliteLedger.database: found nothing, expected an open handle of libsql, better-sqlite3'],
  [
    'the name of a file',
    { database: 'ledger.db' },
    'sqliteLedger.database: found "ledger.db", expected an open handle',
  ],
  [
    'a driver that cannot read 64-bit integers',
    { database: { exec: () => undefined, prepare: () => ({ run: () => 0, get: () => 0, all: () => [] }) } },
    'sqliteLedger.database: found an object, expected an open handle',
  ],
  ['a handle that executes nothing', { database: { prepare: () => ({ safeIntegers: () => 0 }) } }, 'found an object'],
  ['a handle that prepares nothing', { database: { exec: () => undefined } }, 'found an object'],
  ['a handle that is closed', { database: closedHandle() }, 'expected an open handle'],
  ['no clock', { database, clock: Date }, 'sqliteLedger.clock: found a function, expected a clock'],
  [
    'a minute less',
    { database, endedHoldRetentionMs: 59_999 },
    'sqliteLedger.endedHoldRetentionMs: found 59999, expected whole',
  ],
  [
    'a year and more',
    { database, endedHoldRetentionMs: 31_536_000_001 },
    'sqliteLedger.endedHoldRetentionMs: found 31536000001',
  ],
  ['less than no time', { database, busyTimeoutMs: -1 }, 'sqliteLedger.busyTimeoutMs: found -1, expected whole'],
  ['ten minutes and more', { database, busyTimeoutMs: 600_001 }, 'sqliteLedger.busyTimeoutMs: found 600001, expected'],
  ['a typing mistake', { database, busyTimeout: 1 }, 'Did you mean "busyTimeoutMs"?'],
])('refuses %s', (_what, options, message) => {
  const build = () => sqliteLedger(options as SqliteLedgerOptions);
  expect(build).toThrow(ConfigurationError);
  expect(build).toThrow(message);
});

it('takes a database in memory, for trials', async () => {
  const ledger = sqliteLedger({ database, endedHoldRetentionMs: 60_000, busyTimeoutMs: 0 });
  await ledger.migrate();
  expect(await ledger.organizationTotals('acme')).toEqual({ credits: 0n, usage: 0n, held: 0n });
});
