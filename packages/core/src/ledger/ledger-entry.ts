import type { NanoUsd } from '../base/money.js';

/**
 * The source of a charged figure: figures of a provider in order of preference, then `cached`, the price of a cached answer, and `shared`, the price of an
 * answer that another call had asked for.
 */
export type CostSource = 'reported' | 'computed' | 'flat' | 'ceiling' | 'cached' | 'shared';

interface EntryBase {
  /**
   * The grant's, adjustment's or hold's id; for losses the hold's id with `.loss.1`, `.loss.2`, …; for expiries with `.expired`.
   * Unique within its kind.
   */
  readonly id: string;
  readonly organizationId: string;
  /** The granted, adjusted, charged or lost amount; for expiries the amount that was held, which is in no usage. */
  readonly amount: NanoUsd;
  readonly atMs: number;
}

/** An entry of the log. Never changes once written. */
export type LedgerEntry =
  | (EntryBase & { readonly kind: 'grant'; readonly keyId: null; readonly note: string })
  | (EntryBase & { readonly kind: 'adjustment'; readonly keyId: string | null; readonly note: string })
  | (EntryBase & {
      readonly kind: 'charge';
      readonly keyId: string;
      readonly model: string;
      /** Empty if an expiry charged the held amount: the provider is unknown. */
      readonly provider: string;
      readonly costSource: CostSource;
      /** The part of the charge that the operator owes the provider, before markup. Absent if unknown. */
      readonly upstreamCost?: NanoUsd | undefined;
      /** Settled after its hold had expired. */
      readonly late: boolean;
      /** The tag of the hold. Absent if the hold had no tag. */
      readonly tag?: string | undefined;
    })
  | (EntryBase & {
      readonly kind: 'loss';
      readonly keyId: string;
      readonly model: string;
      readonly provider: string;
      readonly reason: string;
      /** As in a charge. */
      readonly tag?: string | undefined;
    })
  | (EntryBase & { readonly kind: 'expired'; readonly keyId: string; readonly model: string });
