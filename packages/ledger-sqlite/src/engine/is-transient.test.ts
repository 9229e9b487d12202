import { expect, it } from 'vitest';
import { isTransient } from './is-transient.js';

it.each([
  ['libsql', { code: 'SQLITE_BUSY', rawCode: 5 }, true],
  ['libsql, an extended code it has no name for', { code: 'UNKNOWN_SQLITE_ERROR_517', rawCode: 517 }, true],
  ['better-sqlite3', { code: 'SQLITE_BUSY_SNAPSHOT' }, true],
  ['better-sqlite3, a shared cache', { code: 'SQLITE_LOCKED_SHAREDCACHE' }, true],
  ['node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 5 }, true],
  ['node:sqlite, an extended code', { code: 'ERR_SQLITE_ERROR', errcode: 261 }, true],
  ['a full disk of better-sqlite3', { code: 'SQLITE_FULL' }, false],
  ['a constraint of node:sqlite', { code: 'ERR_SQLITE_ERROR', errcode: 1299 }, false],
  ['a code that only ends like one', { code: 'NO_SQLITE_BUSY' }, false],
  ['a code that is a text', { errcode: '5' }, false],
  ['an error that is none of SQLite’s', new Error('busy'), false],
  ['what is no error', undefined, false],
])('sees whether the database is busy: %s', (_what, error, expected) => {
  expect(isTransient(error)).toBe(expected);
});
