/**
 * Remembers the calls made with an `Idempotency-Key`, so that a call that is repeated after a lost connection gets the stored response and is not made, and
 * charged, a second time.
 *
 * Guarantees of every implementation (each line is a test of the conformance suite in `@searchgate/testing`). A name is an `idempotencyKey` of an API key.
 *
 * 1. `claim` is ONE atomic step: of 100 concurrent claims of the same name exactly one is `claimed`, in one process and in several. In a durable
 *    store an acknowledged claim survives `kill -9`.
 * 2. A name belongs to an API key: the same `idempotencyKey` under two keys is two names.
 * 3. A name is `claimed` until its claim is completed, freed or past `expiresAtMs`; then it is `finished` until `keepUntilMs`; then it is free again.
 * 4. Only the holder of the claim (by `claimId`) can free the name. A late call, after the claim expired and another claim took the name, changes nothing
 *    and returns `false`.
 *    Of claims with the same fingerprint the first to complete wins: `complete` also takes a name whose claim expired, was freed, was forgotten, or
 *    belongs to another running claim, so that no third call is made. A name that is finished, or claimed with another fingerprint, stays as it is
 *    (`false`).
 * 5. A finished name with the same fingerprint is replayed; a claimed or finished name with another fingerprint is a `mismatch`.
 * 6. `claim` and `complete` may be repeated if it is unknown whether they arrived: the same `claimId` extends its claim until the new `expiresAtMs`, and
 *    completes again, with `true`, the name that it completed.
 * 7. `erase` leaves no response of an organization, and no call that began before it keeps one: see there.
 * 8. Malformed arguments are refused with a `LedgerError` (`invalid_id`, `invalid_argument`) and change nothing, the same in every store:
 *    `createIdempotencyStore`.
 *
 * Times are of the caller's clock, as in `Ledger`, in milliseconds since the Unix epoch: a name is free from `expiresAtMs` or `keepUntilMs` on, inclusive.
 */
export interface IdempotencyStore {
  /** Claims a name, or returns why the name cannot be claimed. */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Stores the response to replay, also if the claim is no longer held. @returns `false` if the name is finished, or claimed with another fingerprint. */
  complete(claim: Claim, response: StoredResponse, keepUntilMs: number): Promise<boolean>;
  /** Frees the name, as if it had never been claimed. @returns whether the claim was still held. */
  free(claim: Claim): Promise<boolean>;
  /**
   * Removes the responses of an organization. A name whose call still runs stays claimed until its claim expires, for no request: its call cannot complete it.
   * A name that was finished may stay so for a minute, against completions that are repeated. Without this operation, responses stay until their time.
   *
   * @returns the number of names.
   */
  erase?(organizationId: string): Promise<number>;
}

/** A claim of a name. */
export interface Claim {
  /** The API key the name belongs to. */
  readonly keyId: string;
  /** The organization the response belongs to: whose share of a bounded store it uses, and with which it is erased. Default: the key has its own share. */
  readonly organizationId?: string | undefined;
  /** As the caller sent it: 1 to 255 printable ASCII characters. */
  readonly idempotencyKey: string;
  /** Distinguishes this claim from all other claims of the same name: a ledger id. */
  readonly claimId: string;
  /** Lower-case hex SHA-256 of the request. */
  readonly fingerprint: string;
}

/** A claim of a name, for a call that begins. */
export interface ClaimRequest extends Claim {
  /** The present time of the caller, which decides what has expired. */
  readonly nowMs: number;
  /** When the name is free again if the process dies: together with the hold of the call. */
  readonly expiresAtMs: number;
}

/** Whether the call may run, or has run before. */
export type ClaimResult =
  | { readonly status: 'claimed' }
  /** The first call is still running. */
  | { readonly status: 'in_progress' }
  /** The name was used for another request. */
  | { readonly status: 'mismatch' }
  | {
      readonly status: 'finished';
      /** Of the first call. */
      readonly response: StoredResponse;
    };

/** A response to replay: the status, and the body, byte for byte. */
export interface StoredResponse {
  /** The HTTP status. */
  readonly status: number;
  /** As it was sent. */
  readonly body: string;
}

/** The name of a claim as one text. Ids of keys have no spaces, so the first space ends the id. */
export function nameOf({ keyId, idempotencyKey }: Pick<Claim, 'keyId' | 'idempotencyKey'>): string {
  return `${keyId} ${idempotencyKey}`;
}
