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

/** A driver with these methods of statements besides the usual ones, and what was asked of it. */
function driverOf(methods: Partial<SqliteStatement> = {}, failing: Record<string, Error> = {}) {
  const asked: string[] = [];
  const noted = (name: string) => (isOn: boolean) => void asked.push(`${name} ${isOn}`);
  const notedMethods = Object.fromEntries(Object.keys(methods).map((name) => [name, noted(name)]));
  const database = {
    exec(sql: string) {
      asked.push(sql);
      if (failing[sql] !== undefined) throw failing[sql];
    },
    prepare(sql: string): SqliteStatement {
      const isSetting = sql.startsWith('PRAGMA');
      asked.push(`prepare ${sql}`);
      const row = { a: 1n, b: 'x' };
      const given = 'raw' in methods || 'setReturnArrays' in methods ? [1n, 'x'] : row;
      return {
        run: (...values: unknown[]) => ({ changes: BigInt(values.length) }),
        get: (...values: unknown[]) => (isSetting ? { journal_mode: 'wal' } : values.length > 0 ? undefined : given),
        all: (...values: unknown[]) => (values.length > 0 ? [] : [given, given]),
        ...(isSetting ? {} : notedMethods),
      };
    },
  };
  return { connection: createConnection(database), asked };
}

const method = () => undefined;

it.each<[string, Partial<SqliteStatement>, string[]]>([
  ['libsql and better-sqlite3', { safeIntegers: method, raw: method }, ['safeIntegers true', 'raw true']],
  ['node:sqlite', { setReadBigInts: method, setReturnArrays: method }, ['setReadBigInts true', 'setReturnArrays true']],
  ['an older node:sqlite', { setReadBigInts: method }, ['setReadBigInts true']],
  [
    'one that has both, by one',
    { setReadBigInts: method, safeIntegers: method, raw: method, setReturnArrays: method },
    ['setReadBigInts true', 'raw true'],
  ],
])('reads whole numbers exactly, and rows as arrays, from %s', (_driver, methods, expected) => {
  const { connection, asked } = driverOf(methods);
  const tuples = connection.tuples('SELECT 1');
  expect(asked).toEqual(['prepare SELECT 1', ...expected]);
  expect([tuples.get(), tuples.all(), tuples.get('none'), tuples.all('none')]).toEqual([
    [1n, 'x'],
    [
      [1n, 'x'],
      [1n, 'x'],
    ],
    undefined,
    [],
  ]);
  expect(tuples.run('a', 'b')).toBe(2);
});

it('gives rows as objects where they are asked for by name, by a statement of its own', () => {
  const { connection, asked } = driverOf();
  expect(connection.tuples('SELECT 1').get()).toEqual([1n, 'x']);
  const statement = connection.statement('SELECT 1');
  expect([statement.get(), statement.all('none'), statement.run('a')]).toEqual([{ a: 1n, b: 'x' }, [], 1]);
  expect([connection.statement('SELECT 1'), asked.length]).toEqual([statement, 2]);
});

const SETTINGS = [
  'PRAGMA busy_timeout = 4',
  'prepare PRAGMA journal_mode = WAL',
  'PRAGMA synchronous = FULL',
  'PRAGMA secure_delete = ON',
];

it('sets up the handle once, when it is first used', () => {
  const { connection, asked } = driverOf();
  expect(asked).toEqual([]);
  connection.exec('SELECT 1');
  connection.exec('SELECT 2');
  expect(asked).toEqual([...SETTINGS, 'SELECT 1', 'SELECT 2']);
});

it.each([
  ['transact', 'BEGIN IMMEDIATE'],
  ['snapshot', 'BEGIN'],
] as const)('does all or nothing: %s', (kind, begin) => {
  const { connection, asked } = driverOf();
  expect(connection[kind](() => 7)).toBe(7);
  const refuse = () => {
    throw new Error('refused');
  };
  expect(() => connection[kind](refuse)).toThrow('refused');
  expect(asked).toEqual([...SETTINGS, begin, 'COMMIT', begin, 'ROLLBACK']);
});

it('tells the first error, also where nothing is left to undo', () => {
  const { connection, asked } = driverOf({}, { COMMIT: new Error('full'), ROLLBACK: new Error('no transaction') });
  expect(() => connection.transact(() => 7)).toThrow('full');
  expect(asked.slice(-2)).toEqual(['COMMIT', 'ROLLBACK']);
});

it('undoes nothing where it could not begin', () => {
  const { connection, asked } = driverOf({}, { 'BEGIN IMMEDIATE': new Error('busy') });
  expect(() => connection.transact(() => 7)).toThrow('busy');
  expect(asked.at(-1)).toBe('BEGIN IMMEDIATE');
});
