import { ledgerSuite } from './ledger-suite.js';
import { throughPgbouncer } from './through-pgbouncer.js';

const pgbouncer = await throughPgbouncer();

ledgerSuite('postgresLedger where transactions are serializable', { isolation: 'serializable' });
ledgerSuite(`postgresLedger behind PgBouncer${pgbouncer.note}`, pgbouncer.options, pgbouncer.unavailable);
