import { z } from 'zod';

/** No field at all. */
export const nothing = z.strictObject({});

/** Decimal USD. What it may be besides, the ledger checks. */
export const amount = z.string().regex(/^\d{1,12}(\.\d{1,9})?$/, 'must be an amount in USD such as "25.00"');

/** ISO 8601 in UTC, of milliseconds since the Unix epoch. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
