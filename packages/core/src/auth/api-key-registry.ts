import type { NanoUsd } from '../base/money.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { RateLimit } from '../base/time/rate-limit.js';
import type { ApiKeyStore } from './api-key.js';

/**
 * A store of API keys and organizations that can be changed while gateways read it: what administration is built on. Secrets never come
 * near it, only their SHA-256.
 *
 * What every implementation guarantees (each line is a test of the conformance suite in `@searchgate/testing`):
 *
 * 1. Every operation is one atomic step. In a durable store an acknowledged one survives `kill -9`.
 * 2. What an operation changed, the next `findByHash` of every process sees. (Gateways cache keys for at most `keyCacheMaxAgeMs`.)
 * 3. An id and a hash each belong to one key forever: a second one is refused with `LedgerError` `duplicate_key` and changes nothing.
 * 4. A revocation stands: once `revokedAtMs` is set, no change alters it.
 * 5. Inserting a key makes its organization known if it is not yet; a suspended organization stays suspended.
 * 6. Lists are in order of creation (ties by id), and a page's cursor stays valid while keys are added.
 *
 * Ids are as in `Ledger`; malformed ones are refused with `LedgerError` `invalid_id`.
 */
export interface ApiKeyRegistry extends ApiKeyStore {
  /** @throws LedgerError `duplicate_key` when the id or the hash is taken. */
  insertKey(key: ApiKeyRecord): Promise<void>;
  findKey(id: string): Promise<ApiKeyRecord | undefined>;
  /** Changes the fields given and no others. @returns the key as it is now; `undefined` when there is none of this id. */
  updateKey(id: string, change: ApiKeyChange): Promise<ApiKeyRecord | undefined>;
  listKeys(
    query?: RegistryQuery & { readonly organizationId?: string | undefined },
  ): Promise<RegistryPage<ApiKeyRecord>>;

  /** Makes an organization known. @returns whether it was new; one that is known already stays as it is. */
  insertOrganization(organization: Organization): Promise<boolean>;
  findOrganization(id: string): Promise<Organization | undefined>;
  /** Changes the fields given and no others. @returns the organization as it is now; `undefined` when there is none of this id. */
  updateOrganization(id: string, change: OrganizationChange): Promise<Organization | undefined>;
  listOrganizations(query?: RegistryQuery): Promise<RegistryPage<Organization>>;
}

/** An API key as it is stored. */
export interface ApiKeyRecord {
  readonly id: string;
  /** Lower-case hex SHA-256 of the whole bearer token. */
  readonly hash: string;
  readonly organizationId: string;
  readonly label: string;
  readonly limit: NanoUsd | null;
  readonly limitReset: LimitReset | null;
  readonly allowedModels: readonly string[] | null;
  /** As in `ApiKey`. Absent counts as `null`; a registry gives `null`. */
  readonly rateLimit?: RateLimit | null | undefined;
  readonly maxConcurrent?: number | null | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** What may change about a key. Its id, secret and organization never do. */
export type ApiKeyChange = Partial<
  Pick<
    ApiKeyRecord,
    'label' | 'limit' | 'limitReset' | 'allowedModels' | 'rateLimit' | 'maxConcurrent' | 'expiresAtMs' | 'revokedAtMs'
  >
>;

export interface Organization {
  readonly id: string;
  /** For people; `null` for none. */
  readonly name: string | null;
  readonly createdAtMs: number;
  /** Since when none of its keys is served; `null` while they are. */
  readonly suspendedAtMs: number | null;
  /** Of all its keys together; `null` for none of its own. Absent counts as `null`; a registry gives `null`. */
  readonly rateLimit?: RateLimit | null | undefined;
  readonly maxConcurrent?: number | null | undefined;
}

export type OrganizationChange = Partial<Pick<Organization, 'name' | 'suspendedAtMs' | 'rateLimit' | 'maxConcurrent'>>;

export interface RegistryQuery {
  /** `nextCursor` of the page before. @throws LedgerError `invalid_cursor` */
  readonly cursor?: string | undefined;
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined;
}

export interface RegistryPage<T> {
  readonly items: readonly T[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}
