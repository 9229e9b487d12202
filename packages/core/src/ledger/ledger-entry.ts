import type { NanoUsd } from '../base/money.js';

/**
 * Where a charged figure came from, in order of preference. Then what is no figure of a provider: `cached`, the price of an answer that was kept; `shared`,
 * that of an answer another call had asked for.
 */
export type CostSource = 'reported' | 'computed' | 'flat' | 'ceiling' | 'cached' | 'shared';

interface EntryBase {
  /**
   * The grant's, adjustment's or hold's id; for losses the hold's id with `.loss.1`, `.loss.2`, …; for expiries with `.expired`.
   * Unique within its kind.
   */
  readonly id: string;
  readonly organizationId: string;
  /** What was granted, adjusted, charged or lost; for expiries what had been held, which is in no usage. */
  readonly amount: NanoUsd;
  readonly atMs: number;
}

/** One line of the log. Never changes once written. */
export type LedgerEntry =
  | (EntryBase & { readonly kind: 'grant'; readonly keyId: null; readonly note: string })
  | (EntryBase & { readonly kind: 'adjustment'; readonly keyId: string | null; readonly note: string })
  | (EntryBase & {
      readonly kind: 'charge';
      readonly keyId: string;
      readonly model: string;
      /** Empty when an expiry charged the held amount: who served is unknown. */
      readonly provider: string;
      readonly costSource: CostSource;
      /** What of it the operator owes the provider, before markup. Left out where it is not known. */
      readonly upstreamCost?: NanoUsd | undefined;
      /** Settled after its hold had expired. */
      readonly late: boolean;
      /** Of its hold. Left out where the hold had none. */
      readonly tag?: string | undefined;
    })
  | (EntryBase & {
      readonly kind: 'loss';
      readonly keyId: string;
      readonly model: string;
      readonly provider: string;
      readonly reason: string;
      /** As that of a charge. */
      readonly tag?: string | undefined;
    })
  | (EntryBase & { readonly kind: 'expired'; readonly keyId: string; readonly model: string });
