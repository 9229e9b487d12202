/**
 * Finds the keys that organizations have at vendors themselves: a vault of the host, or `encryptedTenantKeys`. Calls of the organization then use its own
 * key, and pay a fee instead of a price.
 */
export interface TenantKeys {
  /**
   * @returns `null` or `undefined` where the organization has no key of its own. A rejection, or no answer in time, fails the call with
   * `provider_key_unavailable`: no call is made without the key.
   */
  find(organizationId: string, providerId: string): Promise<TenantKey | null | undefined>;
}

/** A key that an organization has at a vendor. */
export interface TenantKey {
  /** As the vendor gave it. */
  readonly apiKey: string;
  /** Default: the fee of the gateway. */
  readonly fee?: TenantFee | undefined;
}

/**
 * What a call with the organization's own key costs: a share of what the vendor bills (`'0.05'` for 5 %, before markup), an amount in USD, or nothing.
 */
export type TenantFee =
  | {
      /** A decimal string from 0 to 1. */
      readonly share: string;
    }
  | {
      /** Decimal USD. */
      readonly request: string;
    }
  | '0';
