import { closeSync, openSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import Database from 'libsql';
import { messageOf, problem } from '../problems.js';
import type { DurableAddress } from './ledger-address.js';

const PRIVATE_FILE = 0o600;
const OTHERS = {
  postgres: 'a SQLite file; for PostgreSQL run pg_dump --format=custom --schema=searchgate',
  redis: 'a SQLite file; for Redis copy the folder appendonlydir as docs/operations.md says',
} as const;

/**
 * Copies the ledger into a new file that only this user may read, while services go on.
 *
 * @throws ConfigurationError for a ledger that is no SQLite file, and for a file that exists or cannot be written.
 */
export function backUp(address: DurableAddress, to: string): void {
  if (address.engine !== 'sqlite') throw problem('SEARCHGATE_LEDGER', address.engine, OTHERS[address.engine]);
  const file = resolve(to);
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    throw problem('--to', messageOf(error), 'the name of a new file in a folder that this user may write');
  }
  const database = new Database(address.file);
  try {
    database.prepare('VACUUM INTO ?').run(file);
  } catch (error) {
    rmSync(file);
    throw error;
  } finally {
    database.close();
  }
}
