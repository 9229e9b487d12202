import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@searchgate/core/ledger';
import { type SqliteLedger, type SqliteLedgerOptions, sqliteLedger } from '../src/index.js';
import { type Driver, type Handle, libsql } from './drivers.js';

/** Hundreds of tests, each with a file of its own, need not wait for a disk; the tests of what survives a crash are elsewhere. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** One database file, and every handle a test opens on it. */
export interface Storage {
  readonly file: string;
  /** A handle of its own, as another process would have. */
  open(): Handle;
  /** A ledger over a handle of its own, migrated. */
  connect(options?: Omit<SqliteLedgerOptions, 'database'>): Promise<SqliteLedger>;
  /** Closes every handle and deletes the file. */
  dispose(): Promise<void>;
}

export function createStorage(driver: Driver = libsql, clock: Clock = systemClock): Storage {
  const folder = mkdtempSync(join(FOLDER, 'searchgate-sqlite-'));
  const file = join(folder, 'ledger.db');
  const handles: Handle[] = [];
  const ledgers: SqliteLedger[] = [];

  function open(): Handle {
    const handle = driver.open(file);
    handles.push(handle);
    return handle;
  }

  return {
    file,
    open,
    async connect(options = {}) {
      const ledger = sqliteLedger({ clock, ...options, database: open() });
      ledgers.push(ledger);
      await ledger.migrate();
      return ledger;
    },
    async dispose() {
      await Promise.all(ledgers.map((ledger) => ledger.close()));
      for (const handle of handles) handle.close();
      rmSync(folder, { recursive: true });
    },
  };
}
