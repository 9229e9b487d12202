import { closeSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sqliteLedger } from '@searchgate/ledger-sqlite';
import Database from 'libsql';
import { makePrivateFolder } from '../private-folder.js';
import type { ConnectedLedger } from './connected-ledger.js';

const PRIVATE_FILE = 0o600;

/** Opens the file. Creates it and its folder for this user alone if missing. */
export async function openSqlite(file: string): Promise<ConnectedLedger> {
  const path = resolve(file);
  makePrivateFolder(dirname(path));
  // The system's error for an unusable file is clearer than the driver's.
  closeSync(openSync(path, 'a', PRIVATE_FILE));
  const database = new Database(path);
  return {
    ledger: sqliteLedger({ database }),
    async disconnect() {
      database.close();
    },
  };
}
