import assert from 'node:assert/strict';
import type { DurableLedger, Ledger, LedgerEntry } from '@searchgate/core/ledger';
import type { LedgerUnderTest } from './ledger-suite.js';

/** The operations of a ledger with removable entries, beyond the port. */
export type RemovalUnderTest = Pick<DurableLedger, 'removeEntries' | 'audit'>;

export function removalOf({ removal }: LedgerUnderTest): RemovalUnderTest {
  assert.ok(removal !== undefined, 'a ledger that supports removal brings removal');
  return removal;
}

/** The cursor of the entry at this index of the log, above 0. */
export async function cursorOf(ledger: Ledger, index: number): Promise<string> {
  const { nextCursor } = await ledger.entries({ limit: index });
  assert.ok(nextCursor !== null, 'the log is longer');
  return nextCursor;
}

/** The log after removing the entries before an index. */
export function keptOf(log: readonly LedgerEntry[], index: number): LedgerEntry[] {
  return log.filter(({ kind }, place) => place >= index || kind === 'grant' || kind === 'adjustment');
}

export async function assertAudited(removal: RemovalUnderTest): Promise<void> {
  assert.deepEqual((await removal.audit()).differences, []);
}
