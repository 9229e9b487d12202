import type { ApiKeyRecord, Organization, RegistryPage, RegistryQuery } from '../auth/api-key-registry.js';
import type { LimitReset } from '../base/time/limit-window.js';
import type { RateLimit } from '../base/time/rate-limit.js';
import type { EntryPage, EntryQuery, KeyTotals, OrganizationTotals } from '../ledger/ledger.js';
import type { UsageGroup, UsageRow } from '../ledger/usage.js';

/**
 * What an operator does with organizations, credits and keys, in the host's own code. Amounts are given as decimal USD (`'25.00'`) and
 * returned as `NanoUsd`; times are given as ISO texts and returned as milliseconds since the Unix epoch.
 *
 * Every operation that is refused rejects with an `AdministrationError` and changes nothing: `invalid_argument` also for unknown fields, so that a
 * typing mistake is not ignored. Failures of the storage are rejected as they come.
 *
 * Without a key registry the host authenticates callers: keys cannot be managed (`no_key_registry`), and organizations are those with entries in the ledger.
 */
export interface Administration {
  /** Whether keys and organizations can be managed: `apiKeys` was given. */
  readonly hasKeyRegistry: boolean;
  readonly organizations: OrganizationAdministration;
  readonly apiKeys: ApiKeyAdministration;

  /** Adds credits to an organization, and makes it known. The same `grantId` a second time adds nothing. */
  grant(grant: NewGrant): Promise<GrantResult>;

  /**
   * Corrects the usage of an organization, and of one of its keys where that is named. The same `adjustmentId` applies once.
   *
   * @throws AdministrationError `unknown_organization`; `unknown_key` also for a key of another organization.
   */
  adjust(adjustment: NewAdjustment): Promise<AdjustmentResult>;

  /** A page of the ledger's log, oldest entry first. @throws AdministrationError `invalid_argument` also where `toMs` is before `fromMs`. */
  entries(query?: EntryQuery): Promise<EntryPage>;

  /**
   * What the log adds up to, group by group, those without a group last. Reads sums and not the log, so its time does not grow with the number of entries.
   *
   * @throws AdministrationError `invalid_argument` also for more than 100,000 groups, and where `to` is before `from`.
   */
  statement(query: StatementQuery): Promise<readonly StatementRow[]>;

  /** Ends the holds whose time has passed, as gateways do of themselves. @returns how many it ended. */
  expireHolds(): Promise<number>;
}

export interface OrganizationAdministration {
  /** Makes an organization known. One that is known already is returned as it is, given only the name it lacks. */
  create(organization: NewOrganization): Promise<Organization>;
  /** Changes the fields given and no others. @throws AdministrationError `unknown_organization`. */
  update(id: string, change: OrganizationUpdate): Promise<Organization>;
  /** Refuses every key of the organization until `resume`. Its first suspension stands. @throws AdministrationError `unknown_organization`. */
  suspend(id: string): Promise<Organization>;
  /** Serves the keys of a suspended organization again. @throws AdministrationError `unknown_organization`. */
  resume(id: string): Promise<Organization>;
  /** The organization and what it has, used and holds; `undefined` where the key registry does not know it. Without a registry every id has an account. */
  get(id: string): Promise<OrganizationAccount | undefined>;
  /** A page of organizations in order of creation; without a key registry those with entries in the ledger, in order of id. */
  list(query?: RegistryQuery): Promise<RegistryPage<OrganizationView>>;
}

export interface ApiKeyAdministration {
  /** Makes a key, and its organization known. The secret is returned here and nowhere else: only its hash is stored. */
  create(key: NewApiKey): Promise<CreatedApiKey>;
  get(id: string): Promise<ApiKeyView | undefined>;
  /** What the key has used and holds; `windowUsage` is of the present window of its limit. All zero for a key that was never used. */
  totals(key: Pick<ApiKeyView, 'id' | 'limitReset'>): Promise<KeyTotals>;
  /** A page of keys in order of creation, also revoked and expired ones. */
  list(query?: RegistryQuery & { readonly organizationId?: string | undefined }): Promise<RegistryPage<ApiKeyView>>;
  /** Refuses the key from now on, forever. Its first revocation stands. @throws AdministrationError `unknown_key`. */
  revoke(id: string): Promise<ApiKeyView>;
  /** Changes the fields given and no others. @throws AdministrationError `unknown_key`. */
  update(id: string, change: ApiKeyUpdate): Promise<ApiKeyView>;
}

/** An organization as operators see it. Without a key registry only its id is known, and `createdAtMs` is `null`. */
export type OrganizationView = Omit<Organization, 'createdAtMs'> & { readonly createdAtMs: number | null };

/** A key as operators see it: everything but its hash. */
export type ApiKeyView = Omit<ApiKeyRecord, 'hash'>;

export interface NewOrganization {
  readonly id: string;
  /** For people; at most 1,000 characters. */
  readonly name?: string | null | undefined;
  /** Most answers in a period, of all its keys together; absent or `null` for the gateway's default. */
  readonly rateLimit?: RateLimit | null | undefined;
  /** Most answers under way at once, of all its keys together; absent or `null` for the gateway's default. */
  readonly maxConcurrent?: number | null | undefined;
}

/** What may change about an organization, each as in {@link NewOrganization}. */
export type OrganizationUpdate = Omit<NewOrganization, 'id'>;

export type OrganizationAccount = OrganizationView & OrganizationTotals;

export interface NewGrant {
  readonly organizationId: string;
  /** Decimal USD, zero or more. */
  readonly amount: string;
  /** Default: empty. */
  readonly note?: string | undefined;
  /** What makes a repetition harmless, such as the id of a payment. Default: a fresh one, so that every call adds. */
  readonly grantId?: string | undefined;
}

/** `applied: false`: this id was applied before and nothing changed. */
export interface GrantResult {
  readonly grantId: string;
  readonly applied: boolean;
}

export interface NewAdjustment {
  readonly organizationId: string;
  /** Where the key's usage changes too. */
  readonly keyId?: string | undefined;
  /** Decimal USD: positive raises usage, negative lowers it. */
  readonly amount: string;
  readonly note: string;
  /** What makes a repetition harmless. Default: a fresh one, so that every call applies. */
  readonly adjustmentId?: string | undefined;
}

/** `applied: false`: this id was applied before and nothing changed. */
export interface AdjustmentResult {
  readonly adjustmentId: string;
  readonly applied: boolean;
}

export interface NewApiKey {
  readonly organizationId: string;
  /** What `GET /key` shows; 1 to 200 characters. */
  readonly label: string;
  /** Most the key may spend, decimal USD, ever or in each window of `limitReset`; absent or `null` for no limit. */
  readonly limit?: string | null | undefined;
  /** How often the limit starts over (UTC calendar); absent or `null` for never. Refused without a limit. */
  readonly limitReset?: LimitReset | null | undefined;
  /** Slugs the key may call; absent or `null` for all. */
  readonly allowedModels?: readonly string[] | null | undefined;
  /** Most answers in a period, such as `{ requests: 60, periodMs: 60_000 }`; absent or `null` for the gateway's default. */
  readonly rateLimit?: RateLimit | null | undefined;
  /** Most answers under way at once; absent or `null` for the gateway's default. */
  readonly maxConcurrent?: number | null | undefined;
  /** ISO date-time with offset; absent or `null` for never. */
  readonly expiresAt?: string | null | undefined;
}

/** What may change about a key, each as in {@link NewApiKey}. A limit that resets is taken away with its `limitReset`: both `null`. */
export type ApiKeyUpdate = {
  readonly [Field in Exclude<keyof NewApiKey, 'organizationId'>]?: NewApiKey[Field] | undefined;
};

export interface CreatedApiKey {
  /** The bearer token. Show it once. */
  readonly secret: string;
  readonly key: ApiKeyView;
}

export interface StatementQuery {
  /** What to group by. Days are of the calendar in UTC. */
  readonly by: UsageGroup;
  readonly organizationId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Inclusive: an ISO date, which begins at midnight UTC. Default: the beginning of the log. */
  readonly from?: string | undefined;
  /** Exclusive, likewise. Default: the end of the log. */
  readonly to?: string | undefined;
}

/** The sums of one group; its `group` is the organization's or key's id, the slug, the tag, or the date (`2026-11-21`). */
export type StatementRow = UsageRow;
