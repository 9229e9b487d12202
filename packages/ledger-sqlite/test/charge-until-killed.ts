import { writeSync } from 'node:fs';
import Libsql from 'libsql';
import { sqliteLedger } from '../src/index.js';
import { budgetOf, chargeOf, holdOf, loggedOf } from './requests.js';

/*
 * A process that charges as fast as it can, until it is killed or has charged a great deal. Each line it writes is the id of a hold whose settle was
 * acknowledged, and whose call was logged; the write is synchronous, so a line that was not read was not written.
 */

const CALLERS = 8;
const MOST_CHARGES_PER_CALLER = 100_000;
const [file = '', prefix = ''] = process.argv.slice(2);
const ledger = sqliteLedger({ database: new Libsql(file) });

async function charge(caller: number): Promise<void> {
  for (let index = 0; index < MOST_CHARGES_PER_CALLER; index += 1) {
    const holdId = `${prefix}-${caller}-${index}`;
    const budgets = ['team', `user:${caller}`].map((id) => budgetOf({ id, limit: null }));
    await ledger.hold(holdOf({ holdId, budgets, expiresAtMs: Date.now() }));
    await ledger.settle(holdId, chargeOf());
    await ledger.requests.append([loggedOf(holdId)]);
    writeSync(1, `${holdId}\n`);
  }
}

await Promise.all(Array.from({ length: CALLERS }, (_, caller) => charge(caller)));
