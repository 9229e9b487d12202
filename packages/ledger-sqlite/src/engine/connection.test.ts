import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Handle, libsql } from '../../test/drivers.js';
import { createStorage, type Storage } from '../../test/storage.js';
import { sqliteLedger } from '../index.js';
import { createConnection, readsExactly } from './connection.js';
import type { SqliteStatement } from './sqlite-database.js';

let storage: Storage;
beforeEach(() => {
  storage = createStorage();
});
afterEach(() => storage.dispose());

it('is in WAL mode and waits for the disk with every commit', async () => {
  const database = storage.open();
  database.exec('PRAGMA synchronous = OFF');
  const ledger = sqliteLedger({ database });
  await ledger.migrate();
  expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
});

it('is refused where WAL cannot be had', async () => {
  const database = storage.open();
  const prepare: Handle['prepare'] = (sql) => database.prepare(sql.replace('= WAL', '= DELETE'));
  const ledger = sqliteLedger({ database: { exec: (sql) => database.exec(sql), prepare } });
  await expect(ledger.migrate()).rejects.toThrow('its journal_mode stays "delete"');
});

it('takes a database in memory', () => {
  const connection = createConnection(libsql.open(':memory:'));
  expect(connection.snapshot(() => connection.statement('SELECT 1 AS one').get())).toMatchObject({ one: 1n });
});

it('lets SQLite itself wait for 4 ms only, since the event loop stands still', () => {
  const database = storage.open();
  createConnection(database).exec('SELECT 1');
  expect(database.prepare('PRAGMA busy_timeout').get()).toMatchObject({ timeout: 4 });
});

it('prepares each statement once', () => {
  const database = storage.open();
  const prepared: string[] = [];
  const prepare: Handle['prepare'] = (sql) => {
    prepared.push(sql);
    return database.prepare(sql);
  };
  const connection = createConnection({ exec: (sql) => database.exec(sql), prepare });
  connection.transact(() => {
    for (const sql of ['SELECT 1 AS n', 'SELECT 2 AS n', 'SELECT 1 AS n']) connection.statement(sql).get();
  });
  expect(prepared.filter((sql) => sql.startsWith('SELECT'))).toEqual(['SELECT 1 AS n', 'SELECT 2 AS n']);
});

it.each([
  ['libsql and better-sqlite3', { safeIntegers: () => undefined }, true],
  ['node:sqlite', { setReadBigInts: () => undefined }, true],
  ['a driver without such a method', {}, false],
])('sees whether %s can read 64-bit integers exactly', (_driver, methods, expected) => {
  expect(readsExactly(methods as SqliteStatement)).toBe(expected);
});
