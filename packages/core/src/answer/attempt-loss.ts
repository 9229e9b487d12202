import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { CallableModel } from '../catalog/catalog.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import { failureCost, listPrice, priceAt } from '../catalog/pricing.js';
import type { Loss } from '../ledger/ledger.js';

/** An attempt that no caller pays for. */
export interface UnpaidAttempt {
  readonly cost: OutcomeCost;
  /** Whether the provider bills it where it says nothing of a cost. */
  readonly isSold: boolean;
  readonly reason: string;
  /** Whose prices count. Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * What such an attempt may have cost the operator: the figure the provider reports, or the list price when the outcome is unknown and when
 * part of the answer has come.
 */
export function lossOf(
  { model, provider, prices }: CallableModel,
  { cost: known, isSold, reason, atMs }: UnpaidAttempt,
): Loss | null {
  const price = priceAt(prices, atMs);
  const cost = failureCost(price, known) ?? (isSold ? listPrice(price) : 0n);
  return cost > 0n ? { model: model.slug, provider, cost, reason } : null;
}

/** What the provider reports of a failed attempt. */
export function costOf({ cost, usage }: UpstreamError): OutcomeCost {
  return { reported: cost ?? undefined, usage: usage ?? undefined };
}

/** Once a request has been sent, it is not known how a call that timed out ended at the provider. */
export function mayBeBilled({ reason, phase }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && phase !== 'connect';
}
