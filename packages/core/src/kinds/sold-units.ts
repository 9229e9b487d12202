import type { UpstreamError } from '../base/errors/upstream-error.js';
import type { NanoUsd } from '../base/money.js';
import type { CallableModel } from '../catalog/catalog.js';
import { failureCost } from '../catalog/charge.js';
import type { OutcomeCost } from '../catalog/model-entry.js';
import { listPrice, priceAt, type Units } from '../catalog/units.js';
import type { Loss } from '../ledger/ledger.js';

/** What is known of the cost of an attempt, or of a part of it. */
export interface SoldUnits {
  readonly cost: OutcomeCost;
  /** Whether the provider must be assumed to bill it when it reports no cost. */
  readonly isSold: boolean;
  /** What was asked for; `undefined` for answers. */
  readonly units: Units | undefined;
}

/** An attempt that no caller pays for. */
export interface UnpaidAttempt extends SoldUnits {
  readonly reason: string;
  /** The prices of this time apply. Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** The cost that the provider reports, else the list price of what is sold. */
export function possibleCost({ prices }: CallableModel, { cost, isSold, units }: SoldUnits, atMs: number): NanoUsd {
  const price = priceAt(prices, atMs);
  return failureCost(price, cost, units) ?? (isSold ? listPrice(price, units) : 0n);
}

/** The possible cost of an unpaid attempt for the operator; `null` when there is no cost. */
export function lossOf(candidate: CallableModel, { reason, atMs, ...attempt }: UnpaidAttempt): Loss | null {
  const cost = possibleCost(candidate, attempt, atMs);
  return cost > 0n ? { model: candidate.model.slug, provider: candidate.provider, cost, reason } : null;
}

/** The cost and usage that the provider reports for a failed attempt. */
export function costOf({ cost, usage }: UpstreamError): OutcomeCost {
  return { reported: cost ?? undefined, usage: usage ?? undefined };
}

/** True for a timeout after the request was sent: the provider may have finished the call. */
export function mayBeBilled({ reason, phase }: UpstreamError): boolean {
  return reason === 'upstream_timeout' && phase !== 'connect';
}
