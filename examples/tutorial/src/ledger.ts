import { sqliteLedger } from '@searchgate/ledger-sqlite';
import Database from 'libsql';

const database = new Database(process.env['DATABASE'] ?? 'search.db');

export const ledger = sqliteLedger({ database });
await ledger.migrate();
