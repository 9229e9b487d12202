import { z } from 'zod';
import { formatUsd, multiply, type NanoUsd, parseUsd, readUsd } from '../base/money.js';
import { share } from '../base/options/option-schemas.js';

/** The fee for a call with an organization's own key: both parts are added. */
export interface Fee {
  /** Of what the vendor bills, before markup, in billionths. */
  readonly share: bigint;
  readonly request: NanoUsd;
}

/** No call costs more. */
const MOST = parseUsd('10000');
const amount = z.string('a decimal string').refine((text) => {
  const given = readUsd(text);
  return given !== undefined && given >= 0n && given <= MOST;
}, 'US dollars from 0 to 10000, such as "0.0005"');

/** The fee as hosts write it. */
export const feeSchema = z.union(
  [
    z.literal('0').transform((): Fee => ({ share: 0n, request: 0n })),
    z.strictObject({ share }).transform((given): Fee => ({ ...given, request: 0n })),
    z.strictObject({ request: amount.transform(parseUsd) }).transform((given): Fee => ({ share: 0n, ...given })),
  ],
  'a fee: { share: "0.05" }, { request: "0.0005" } or "0"',
);

/** The fee for a call that the vendor bills at this cost, rounded up as prices are. */
export function feeOf({ share: part, request }: Fee, cost: NanoUsd): NanoUsd {
  return multiply(cost, part) + request;
}

/** The fee as callers see it. */
export function listFee({ share: part, request }: Fee): { readonly share: string } | { readonly request: string } {
  return part > 0n ? { share: formatUsd(part) } : { request: formatUsd(request) };
}

/**
 * A key that an organization has at a vendor itself. The circuit and the latencies of its account hang on this object, so they end with it: another key is
 * another object.
 */
export interface OwnKey {
  readonly organizationId: string;
  readonly provider: string;
  readonly fee: Fee;
  /** The key, for requests to the vendor alone. A function, so that no log, event or error that holds the object shows it. */
  reveal(): string;
}
