import { z } from 'zod';
import { type NanoUsd, reportedUsd } from '../base/money.js';
import { optional } from './reply-fields.js';

/** The fields of `usage` that tell what a call costs. */
export const costFields = {
  cost: optional.amount,
  is_byok: z.unknown().optional(),
  cost_details: optional.object({ upstream_inference_cost: optional.amount }),
};

type CostFields = z.output<z.ZodObject<typeof costFields>>;

/**
 * The cost of a call. Where a router uses the operator's own key of a vendor (`is_byok`), `cost` is the router's fee alone, and the vendor's bill comes on
 * top; without such a key both are the same (@openrouter/sdk 1.3.19 and OpenRouter's FAQ, read 2026-11-28; high confidence).
 *
 * @returns `undefined` for no figure, also where the vendor's bill has none: the fee alone would be far too low.
 */
export function routedCost(usage: CostFields | null | undefined): NanoUsd | undefined {
  const fee = reportedUsd(totalOf(usage?.cost));
  if (usage?.is_byok !== true) return fee;
  const bill = reportedUsd(usage.cost_details?.upstream_inference_cost);
  return bill === undefined ? undefined : bill + (fee ?? 0n);
}

/** A cost is an amount, or an object that names the total. */
function totalOf(cost: unknown): unknown {
  return typeof cost === 'object' && cost !== null && 'total_cost' in cost ? cost.total_cost : cost;
}
