import type { DomainRule } from '../base/domain-rule.js';
import type { AdmissionLimits } from '../base/time/rate-limit.js';
import type { ApiKey, ApiKeyStore } from './api-key.js';
import type { Budget } from './budget.js';

/**
 * A store of API keys and organizations that can be changed while gateways read it: the base of administration. The registry never sees secrets, only their
 * SHA-256.
 *
 * Guarantees of every implementation (each line is a test of the conformance suite in `@searchgate/testing`):
 *
 * 1. Every operation is one atomic step. In a durable store an acknowledged operation survives `kill -9`.
 * 2. The next `findByHash` of every process sees a change. (Gateways cache keys for at most `keyCacheMaxAgeMs`.)
 * 3. An id and a hash each belong to one key forever: a second key with the same id or hash is refused with `LedgerError` `duplicate_key` and changes
 *    nothing.
 * 4. A revocation stands: once `revokedAtMs` is set, no change alters it.
 * 5. Inserting a key adds its organization if the organization is unknown; a suspended organization stays suspended.
 * 6. Lists are in order of creation (ties by id), and a page's cursor stays valid while keys are added.
 *
 * 7. A key names budgets of its organization that are set: a key or a change that names another is refused with `unknown_budget`, and a budget that a key
 *    names which is not revoked cannot be deleted (`budget_in_use`).
 *
 * Ids are as in `Ledger`; malformed ids are refused with `LedgerError` `invalid_id`.
 */
export interface ApiKeyRegistry extends ApiKeyStore {
  /** @throws LedgerError `duplicate_key` if the id or the hash is taken, `unknown_budget`. */
  insertKey(key: ApiKeyRecord): Promise<void>;
  /** Also a revoked or expired key; `undefined` for an unknown id. */
  findKey(id: string): Promise<ApiKeyRecord | undefined>;
  /** Changes only the given fields. @returns the changed key; `undefined` if the id is unknown. @throws LedgerError `unknown_budget`. */
  updateKey(id: string, change: ApiKeyChange): Promise<ApiKeyRecord | undefined>;
  /** A page of keys, in order of creation. @throws LedgerError `invalid_cursor`, `invalid_argument`. */
  listKeys(
    query?: RegistryQuery & { readonly organizationId?: string | undefined },
  ): Promise<RegistryPage<ApiKeyRecord>>;

  /** Adds an organization. @returns `false`, without a change, if the organization is known. */
  insertOrganization(organization: Organization): Promise<boolean>;
  /** Also a suspended one; `undefined` for an unknown id. */
  findOrganization(id: string): Promise<Organization | undefined>;
  /** Changes only the given fields. @returns the changed organization; `undefined` if the id is unknown. */
  updateOrganization(id: string, change: OrganizationChange): Promise<Organization | undefined>;
  /** A page of organizations, in order of creation. @throws LedgerError `invalid_cursor`, `invalid_argument`. */
  listOrganizations(query?: RegistryQuery): Promise<RegistryPage<Organization>>;

  /**
   * Sets a budget of an organization, known or not, or replaces its limit, reset and mode. Usage stays. @returns the budget, with its first `createdAtMs`.
   * @throws LedgerError `schema_window_open` while a process that knows no budgets shares the ledger.
   */
  setBudget(budget: Budget): Promise<Budget>;
  /** `undefined` for a budget that is not set. */
  findBudget(organizationId: string, id: string): Promise<Budget | undefined>;
  /** A page of the budgets of an organization, in order of creation. @throws LedgerError `invalid_cursor`, `invalid_argument`. */
  listBudgets(organizationId: string, query?: RegistryQuery): Promise<RegistryPage<Budget>>;
  /** Deletes a budget; its usage stays in the ledger. @returns whether it was set. @throws LedgerError `budget_in_use`, naming keys. */
  deleteBudget(organizationId: string, id: string): Promise<boolean>;
}

/** A stored API key. Absent limits count as `null`, absent budgets as none; a registry returns `null` and `[]`. */
export interface ApiKeyRecord
  extends Omit<
    ApiKey,
    | 'organizationSuspended'
    | 'operatorPays'
    | 'organizationRateLimit'
    | 'organizationMaxConcurrent'
    | 'budgets'
    | 'domains'
  > {
  /** Of this key, beside the rule of its organization. Absent counts as `null`: no rule; a registry returns lower-case names with A-labels. */
  readonly domains?: DomainRule | null | undefined;
  /** Ids of budgets of its organization: at most four, each once. */
  readonly budgets?: readonly string[] | undefined;
  /** Lower-case hex SHA-256 of the whole bearer token. */
  readonly hash: string;
  /** Milliseconds since the Unix epoch, as all times here. */
  readonly createdAtMs: number;
}

/** The fields of a key that may change. Its id, secret and organization never change. */
export type ApiKeyChange = Partial<Omit<ApiKeyRecord, 'id' | 'hash' | 'organizationId' | 'createdAtMs'>>;

/** A customer of the operator: its keys share one balance. Its limits are of all its keys together: absent limits count as `null`; a registry returns `null`. */
export interface Organization extends AdmissionLimits {
  /** 1 to 128 printable ASCII characters without spaces. */
  readonly id: string;
  /** For people; `null` for no name. */
  readonly name: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** When the organization was suspended: none of its keys is served since then. `null` for not suspended. */
  readonly suspendedAtMs: number | null;
  /** Whether the operator pays: calls need no credits. Absent counts as `false`; a registry returns a boolean. */
  readonly operatorPays?: boolean | undefined;
  /** Of all its keys. As of a key. */
  readonly domains?: DomainRule | null | undefined;
}

/** The fields of an organization that may change. */
export type OrganizationChange = Partial<Omit<Organization, 'id' | 'createdAtMs'>>;

/** Which page of a list. */
export interface RegistryQuery {
  /** `nextCursor` of the page before. @throws LedgerError `invalid_cursor` */
  readonly cursor?: string | undefined;
  /** 1 to 1,000; default 100. */
  readonly limit?: number | undefined;
}

/** A page of a list. */
export interface RegistryPage<T> {
  /** In order of creation, ties by id. */
  readonly items: readonly T[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}
