/**
 * Remembers which calls were made under which `Idempotency-Key`, so that a call that is repeated after a lost connection is answered
 * from what is remembered instead of being made, and charged, a second time.
 *
 * What every implementation guarantees (each line is a test of the conformance suite in `@searchgate/testing`):
 *
 * 1. `claim` is ONE atomic step: of 100 claims of the same name at once exactly one is `claimed`, in one process and in several. In a durable
 *    store it survives `kill -9` once it is acknowledged.
 * 2. A name belongs to an API key: the same `idempotencyKey` under two keys are two names.
 * 3. A name is `claimed` until its claim is completed, freed or past `expiresAtMs`; then it is `finished` until `keepUntilMs`; then it is free again.
 * 4. Only the holder of the claim (by `claimId`) can free it. A call that comes too late, because the claim expired and another one holds the
 *    name, changes nothing and answers `false`.
 *    Of claims with the same fingerprint the first one that completes wins: it takes a name whose claim has expired, was freed or has been forgotten, and
 *    one that another claim still runs under, so that no third call is made. A name that is finished, or claimed with another fingerprint, stays as it is (`false`).
 * 5. A finished name with the same fingerprint is replayed; a claimed or finished name with another fingerprint is a `mismatch`.
 * 6. `claim` and `complete` may be repeated when it is unknown whether they arrived: the same `claimId` claims again what it holds, from then on
 *    until the new `expiresAtMs`, and completes again, with `true`, what it has completed.
 * 7. Malformed arguments are refused with a `LedgerError` (`invalid_id`, `invalid_argument`) and change nothing: `checkClaimRequest` and its
 *    siblings, the same in every store.
 *
 * Times are of the caller's clock, as in `Ledger`: a name is free from the very millisecond of `expiresAtMs` or `keepUntilMs` on.
 */
export interface IdempotencyStore {
  /** Takes a name, or says why it cannot be taken. */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Keeps what is to be replayed, whether the claim is still held or not. @returns `false` where the name is finished or claimed otherwise. */
  complete(claim: Claim, response: StoredResponse, keepUntilMs: number): Promise<boolean>;
  /** Gives the name back, as if it had never been claimed. @returns whether the claim was still held. */
  free(claim: Claim): Promise<boolean>;
}

/** A name and who holds it. */
export interface Claim {
  /** The API key the name belongs to. */
  readonly keyId: string;
  /** Whose share of a bounded store the response takes. Default: the key has one of its own. */
  readonly organizationId?: string | undefined;
  /** As the caller sent it: 1 to 255 printable ASCII characters. */
  readonly idempotencyKey: string;
  /** Tells this claim from every other one of the same name: a ledger id. */
  readonly claimId: string;
  /** Lower-case hex SHA-256 of what is asked for. */
  readonly fingerprint: string;
}

export interface ClaimRequest extends Claim {
  /** The caller's present moment, which decides what has expired. */
  readonly nowMs: number;
  /** When the name is free again should the process die: with the hold of the same call. */
  readonly expiresAtMs: number;
}

export type ClaimResult =
  | { readonly status: 'claimed' }
  /** The first call is still under way. */
  | { readonly status: 'in_progress' }
  /** The name was used for something else. */
  | { readonly status: 'mismatch' }
  | { readonly status: 'finished'; readonly response: StoredResponse };

/** What is replayed: the status, and a text of the gateway, given back byte by byte. */
export interface StoredResponse {
  readonly status: number;
  readonly body: string;
}

/** Ids of keys have no spaces, so the first one ends them. */
export function nameOf({ keyId, idempotencyKey }: Pick<Claim, 'keyId' | 'idempotencyKey'>): string {
  return `${keyId} ${idempotencyKey}`;
}
