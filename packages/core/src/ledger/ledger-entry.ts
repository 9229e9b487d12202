import type { NanoUsd } from '../money/money.js';

/** Where a charged figure came from, in order of preference; `held` is the amount of a hold whose process died (policy `charge`). */
export type CostSource = 'reported' | 'computed' | 'flat' | 'ceiling' | 'held';

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
      /** Settled after its hold had expired. */
      readonly late: boolean;
    })
  | (EntryBase & {
      readonly kind: 'loss';
      readonly keyId: string;
      readonly model: string;
      readonly provider: string;
      readonly reason: string;
    })
  | (EntryBase & { readonly kind: 'expired'; readonly keyId: string; readonly model: string });
