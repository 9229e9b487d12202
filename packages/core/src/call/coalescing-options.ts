import { z } from 'zod';
import { parseMultiplier } from '../base/money.js';
import { share } from '../base/options/option-schemas.js';

/** Lets simultaneous calls of one organization with the same question share one call at a provider. */
export interface CoalescingOptions {
  /** The price of each call after the first: a multiplier from 0 to 1 on the charge of the first call, as a decimal string. @default `"1"` */
  readonly sharedPrice?: string | undefined;
}

const options = z.strictObject({ sharedPrice: share.default(parseMultiplier('1')) });

/** Parsed to the options, or to `null` when calls are not shared. */
export const coalescingSchema = z
  .union([z.boolean(), options], 'true, or an object such as { sharedPrice: "0.5" }')
  .transform((given) => (given === true ? options.parse({}) : given === false ? null : given));
