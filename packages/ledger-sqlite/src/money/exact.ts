import { checkTotal, type NanoUsd } from '@searchgate/core/ledger';

/** A counter's new value. @throws LedgerError `invalid_amount` when it does not fit into 64 bits. */
export function exact(total: NanoUsd): NanoUsd {
  checkTotal('amount', total);
  return total;
}
