import { someRows } from '@searchgate-internal/test-servers/chosen-rows';
import { ledgerSuite } from './ledger-suite.js';
import { throughPgbouncer } from './through-pgbouncer.js';

const { options, unavailable, note } = await throughPgbouncer();

ledgerSuite({ where: ' where transactions are serializable', database: { isolation: 'serializable' } });
// What breaks behind it, such as a prepared statement or a setting of a connection, breaks many rows.
ledgerSuite({
  where: ` behind PgBouncer${note}`,
  database: options,
  isSkipped: unavailable,
  rows: (runner) => someRows(runner, 3),
});
