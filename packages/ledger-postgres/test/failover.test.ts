import { expect, it } from 'vitest';
import { migratedDatabase } from './migrated-database.js';
import { grantOf, holdOf } from './requests.js';
import { watchedPool } from './watched-pool.js';

const database = migratedDatabase();

/** What new connections meet from now on, as they meet a replica that is not yet, or a primary that is no longer the one to write to. */
async function setReadOnly(readOnly: 'on' | 'off'): Promise<void> {
  const [row] = await database().run('SELECT current_database() AS name');
  await database().run(`ALTER DATABASE ${String(row?.['name'])} SET default_transaction_read_only = ${readOnly}`);
}

it('sends again what meets a server that can only be read, until it meets one that can be written to', async () => {
  const writable = database().ledger();
  await writable.grant(grantOf());
  await setReadOnly('on');
  const { pool, failures } = watchedPool(database().otherPool(), () => setReadOnly('off'));
  const ledger = database().ledger({ pool });
  expect(await ledger.hold(holdOf())).toMatchObject({ status: 'held' });
  expect(failures).toEqual(['25006']);
  expect((await writable.organizationTotals('acme')).held).toBe(10n);
});
