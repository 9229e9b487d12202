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
  /** Whose balance it is. */
  readonly organizationId: string;
  /** The granted, adjusted, charged or lost amount; for expiries the amount that was held, which is in no usage. */
  readonly amount: NanoUsd;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** An entry that may count in budgets. */
interface UsageEntry extends EntryBase {
  /** Ids of budgets in the order of their bytes. Absent for none. */
  readonly budgets?: readonly string[] | undefined;
}

/** An entry of a call. */
interface CallEntry extends UsageEntry {
  /** The key of the call. */
  readonly keyId: string;
  /** The slug that ran or, of a loss, that failed; for expiries the requested slug. */
  readonly model: string;
}

/** An entry of the log. Never changes once written. */
export type LedgerEntry =
  | (EntryBase & {
      readonly kind: 'grant';
      readonly keyId: null;
      /** What the operator wrote. */
      readonly note: string;
    })
  | (UsageEntry & {
      readonly kind: 'adjustment';
      /** The key whose usage was corrected too; `null` for none. */
      readonly keyId: string | null;
      /** What the operator wrote. */
      readonly note: string;
    })
  | (CallEntry & {
      readonly kind: 'charge';
      /** Empty if an expiry charged the held amount: the provider is unknown. */
      readonly provider: string;
      /** Where the amount comes from. */
      readonly costSource: CostSource;
      /** The part of the charge that the operator owes the provider, before markup. Absent if unknown. */
      readonly upstreamCost?: NanoUsd | undefined;
      /** What the vendor billed to the organization, whose own key was used. Absent where it was the operator's. */
      readonly tenantCost?: NanoUsd | undefined;
      /** Settled after its hold had expired. */
      readonly late: boolean;
      /** The tag of the hold. Absent if the hold had no tag. */
      readonly tag?: string | undefined;
    })
  | (CallEntry & {
      readonly kind: 'loss';
      /** The id of the provider that failed. */
      readonly provider: string;
      /** Why the attempt failed, such as `upstream_timeout`. */
      readonly reason: string;
      /** As in a charge. */
      readonly tag?: string | undefined;
    })
  | (CallEntry & { readonly kind: 'expired' });
