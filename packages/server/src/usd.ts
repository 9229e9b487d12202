import { formatUsd, type NanoUsd } from '@searchgate/core';

const CENTS = 2;

/** Formats an amount for people: `$25.00`, `$0.0015`, `-$1.50`. */
export function usd(amount: NanoUsd): string {
  const sign = amount < 0n ? '-' : '';
  const [whole = '0', fraction = ''] = formatUsd(amount < 0n ? -amount : amount).split('.');
  return `${sign}$${whole}.${fraction.padEnd(CENTS, '0')}`;
}
