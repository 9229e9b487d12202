import assert from 'node:assert/strict';
import type { DurableLedger, Ledger, LedgerEntry } from '@searchgate/core/ledger';
import type { LedgerUnderTest } from './ledger-suite.js';

/** What a ledger has to offer beyond the port, so that its entries can be removed. */
export type RemovalUnderTest = Pick<DurableLedger, 'removeEntries' | 'audit'>;

export function removalOf({ removal }: LedgerUnderTest): RemovalUnderTest {
  assert.ok(removal !== undefined, 'a ledger that supports removal brings removal');
  return removal;
}

/** The cursor of the entry at this place of the log, which is not the first. */
export async function cursorOf(ledger: Ledger, index: number): Promise<string> {
  const { nextCursor } = await ledger.entries({ limit: index });
  assert.ok(nextCursor !== null, 'the log is longer');
  return nextCursor;
}

/** What is left of a log when everything before a place was removed. */
export function keptOf(log: readonly LedgerEntry[], index: number): LedgerEntry[] {
  return log.filter(({ kind }, place) => place >= index || kind === 'grant' || kind === 'adjustment');
}

export async function assertAudited(removal: RemovalUnderTest): Promise<void> {
  assert.deepEqual((await removal.audit()).differences, []);
}
