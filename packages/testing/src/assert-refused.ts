import assert from 'node:assert/strict';
import { isLedgerError, type LedgerReason } from '@searchgate/core/ledger';

/** Asserts that an operation rejects (and does not throw synchronously) with a coded refusal. */
export async function assertRefused(reason: LedgerReason, operation: () => Promise<unknown>): Promise<void> {
  assert.equal(await outcomeOf(operation()), reason);
}

/** `done`, the reason of a coded refusal, or any other error. */
export async function outcomeOf(operation: Promise<unknown>): Promise<unknown> {
  return operation.then(
    () => 'done',
    (error: unknown) => (isLedgerError(error) ? error.reason : error),
  );
}
