import { ledgerSuite } from './ledger-suite.js';
import { throughPgbouncer } from './through-pgbouncer.js';

const pgbouncer = await throughPgbouncer();

ledgerSuite(' where transactions are serializable', { isolation: 'serializable' });
ledgerSuite(` behind PgBouncer${pgbouncer.note}`, pgbouncer.options, pgbouncer.unavailable);
