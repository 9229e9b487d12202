import { ConfigurationError, isLedgerError } from '@searchgate/core';
import { isBug, messageOf, problem } from '../problems.js';
import { type DurableAddress, describeAddress } from './ledger-address.js';

const EXPECTED = {
  sqlite: 'a SQLite file this user may read and write',
  postgres: 'a PostgreSQL server that answers',
  redis: 'a Redis server that answers',
} as const;

/** Tells the operator why a ledger cannot be used, without the credentials of its address; a bug stays the error it is. */
export function unusableLedger(address: DurableAddress, error: unknown): unknown {
  if (error instanceof ConfigurationError || isBug(error)) return error;
  const found = `${describeAddress(address)} (${messageOf(error)})`;
  const expected = isLedgerError(error) ? 'a ledger of this version of Searchgate' : EXPECTED[address.engine];
  return problem('SEARCHGATE_LEDGER', found, expected);
}
