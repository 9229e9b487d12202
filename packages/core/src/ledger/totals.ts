import { MAX_TOTAL_NANO_USD, type NanoUsd } from '../base/money.js';
import { refusal } from '../base/options/check-argument.js';

/** @throws LedgerError `invalid_amount` when a ledger cannot keep this total: every engine stores it as a signed 64-bit number. */
export function checkTotal(name: string, total: NanoUsd): void {
  if (total <= MAX_TOTAL_NANO_USD && total >= -MAX_TOTAL_NANO_USD) return;
  throw refusal('invalid_amount', name, { found: total, expected: 'a total from -(2^63 - 1) to 2^63 - 1 nanodollars' });
}
