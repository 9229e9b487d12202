import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import { failureCost, listPrice, priceAt, type Units } from '../catalog/pricing.js';
import type { Loss } from '../ledger/ledger.js';

/** An attempt that no caller pays for. */
export interface UnpaidAttempt {
  readonly cost: OutcomeCost;
  /** Whether the provider must be assumed to bill the attempt when it reports no cost. */
  readonly isSold: boolean;
  readonly reason: string;
  /** The prices of this time apply. Milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** What was asked for; `undefined` for answers. */
  readonly units: Units | undefined;
}

/**
 * The possible cost of an unpaid attempt for the operator: the cost the provider reports, else the list price if the attempt is sold.
 * `null` when there is no cost.
 */
export function lossOf(
  { model, provider, prices }: CallableModel,
  { cost: known, isSold, reason, atMs, units }: UnpaidAttempt,
): Loss | null {
  const price = priceAt(prices, atMs);
  const cost = failureCost(price, known, units) ?? (isSold ? listPrice(price, units) : 0n);
  return cost > 0n ? { model: model.slug, provider, cost, reason } : null;
}

/** The cost and usage that the provider reports for a failed attempt. */
export function costOf({ cost, usage }: UpstreamError): OutcomeCost {
  return { reported: cost ?? undefined, usage: usage ?? undefined };
}

/** True for a timeout after the request was sent: the provider may have finished the call. */
export function mayBeBilled({ reason, phase }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && phase !== 'connect';
}
