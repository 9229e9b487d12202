import { MAX_TOTAL_NANO_USD, type NanoUsd } from '../money/money.js';
import { refusal } from '../options/check-argument.js';

/** Whether a ledger can keep this total: every engine stores it as a signed 64-bit number. */
export function isTotal(total: NanoUsd): boolean {
  return total <= MAX_TOTAL_NANO_USD && total >= -MAX_TOTAL_NANO_USD;
}

/** @throws LedgerError `invalid_amount` when a ledger cannot keep this total. */
export function checkTotal(name: string, total: NanoUsd): void {
  if (isTotal(total)) return;
  throw refusal('invalid_amount', name, { found: total, expected: 'a total from -(2^63 - 1) to 2^63 - 1 nanodollars' });
}
