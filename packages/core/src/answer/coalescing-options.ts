import { z } from 'zod';
import { parseMultiplier } from '../base/money.js';
import { share } from '../base/options/option-schemas.js';

/** How calls of one organization that ask the same at the same time share one call at a provider. */
export interface CoalescingOptions {
  /** What each but the first is charged: a multiplier from 0 to 1 on what the first one is charged, a decimal string. Default `"1"`. */
  readonly sharedPrice?: string | undefined;
}

const options = z.strictObject({ sharedPrice: share.default(parseMultiplier('1')) });

/** Parsed to the options, or to `null` for none. */
export const coalescingSchema = z
  .union([z.boolean(), options], 'true, or an object such as { sharedPrice: "0.5" }')
  .transform((given) => (given === true ? options.parse({}) : given === false ? null : given));
