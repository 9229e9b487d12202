import { sqliteLedger } from '@searchgate/ledger-sqlite';
import Database from 'libsql';
import type { OpenedLedger } from './opened-ledger.js';

const SYNCHRONOUS = ['OFF', 'NORMAL', 'FULL', 'EXTRA'];

export function openSqlite(file: string): OpenedLedger {
  const database = new Database(file);
  database.exec('CREATE TABLE IF NOT EXISTS bench_rows (n INTEGER)');
  const row = database.prepare('INSERT INTO bench_rows VALUES (1)');
  return {
    ledger: sqliteLedger({ database }),
    async describe() {
      const { version } = database.prepare('SELECT sqlite_version() AS version').get() as { version: string };
      const { journal_mode: mode } = database.prepare('PRAGMA journal_mode').get() as { journal_mode: string };
      const { synchronous } = database.prepare('PRAGMA synchronous').get() as { synchronous: number };
      return { version, settings: `journal_mode ${mode}, synchronous ${SYNCHRONOUS[synchronous] ?? synchronous}` };
    },
    // The engine is inside the process.
    ask: null,
    keep: async () => row.run(),
    async storedBytes() {
      // Until then the file does not have what is in its write-ahead log.
      database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { page_count: number };
      const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() as { page_size: number };
      return pages * pageBytes;
    },
  };
}
