import { LedgerError, type NanoUsd } from '@searchgate/core';

const MOST = 2n ** 63n - 1n;
const LEAST = -(2n ** 63n);

/** A counter's new value, which has to fit into 64 bits. @throws LedgerError `invalid_amount` when it does not. */
export function exact(value: NanoUsd): NanoUsd {
  if (value >= LEAST && value <= MOST) return value;
  throw new LedgerError('invalid_amount', `amount: a counter would become ${value}, which is more than 64 bits hold`);
}
