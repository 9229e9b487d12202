import type { ApiKeyRecord, Organization, RegistryPage, RegistryQuery } from '../auth/api-key-registry.js';
import type { TenantKeyVault, TenantKeyView } from '../auth/encrypted-tenant-keys.js';
import type { MemoryApiKey } from '../auth/memory-api-keys.js';
import type { DomainRule } from '../base/domain-rule.js';
import type { AdmissionLimits } from '../base/time/rate-limit.js';
import type { AuditFilter, AuditPage } from '../ledger/audit-log.js';
import type { InstanceBoard } from '../ledger/instance-board.js';
import type { Adjustment, EntryPage, EntryQuery, KeyTotals, OrganizationTotals } from '../ledger/ledger.js';
import type { LoggedRequest, RequestFilter, RequestPage, RequestRow } from '../ledger/request-log.js';
import type { StatisticsQuery, StatisticsRows } from '../ledger/request-statistics.js';
import type { RequestText, RequestTextOwner } from '../ledger/request-texts.js';
import type { UsageQuery, UsageRow } from '../ledger/usage.js';
import type { BudgetAdministration } from './budget-administration.js';

/**
 * An operator's operations on organizations, credits and keys, for the host's own code. Amounts are given as decimal USD (`'25.00'`) and
 * returned as `NanoUsd`; times are given as ISO texts and returned as milliseconds since the Unix epoch.
 *
 * A refused operation rejects with an `AdministrationError` and changes nothing. Unknown fields are refused too (`invalid_argument`), so that a
 * typing mistake is not ignored. Failures of the storage reject unchanged.
 *
 * Without a key registry the host authenticates callers: keys cannot be managed (`no_key_registry`), and the ledger's entries tell the organizations.
 */
export interface Administration {
  /** Whether keys and organizations can be managed, because `apiKeys` was given. */
  readonly hasKeyRegistry: boolean;
  /** The organizations of the key registry; without one, those of the ledger. */
  readonly organizations: OrganizationAdministration;
  /** The keys of the key registry. Without one, keys cannot be managed (`no_key_registry`). */
  readonly apiKeys: ApiKeyAdministration;
  /** The budgets of the key registry, with what the ledger has counted. */
  readonly budgets: BudgetAdministration;

  /** Adds credits to an organization, and creates it if needed. A repeated `grantId` adds nothing. */
  grant(grant: NewGrant): Promise<GrantResult>;

  /**
   * Corrects the usage of an organization, and of its key `keyId` and its `budgets` if they are given. A repeated `adjustmentId` changes nothing.
   *
   * @throws AdministrationError `unknown_organization`, `unknown_budget`; `unknown_key` also for a key of another organization.
   */
  adjust(adjustment: NewAdjustment): Promise<AdjustmentResult>;

  /** A page of the ledger's log, oldest entry first. @throws AdministrationError `invalid_argument`, also when `toMs` is before `fromMs`. */
  entries(query?: EntryQuery): Promise<EntryPage>;

  /**
   * The sums of the log by group; entries without a group come last. Reads sums instead of the log, so its time does not grow with the number of entries.
   *
   * @throws AdministrationError `invalid_argument`, also for more than 100,000 groups, and when `to` is before `from`.
   */
  statement(query: StatementQuery): Promise<readonly StatementRow[]>;

  /** The log of calls; `null` where none was given. */
  readonly requests: RequestAdministration | null;

  /** Who changed what; `null` where no log was given. */
  readonly changes: ChangeAdministration | null;

  /** The keys that organizations have at vendors themselves; `null` where no vault was given. */
  readonly tenantKeys: TenantKeyAdministration | null;

  /** The replies that are kept; `null` where neither a gateway was given nor the ledger keeps any. */
  readonly replies: ReplyAdministration | null;

  /** The processes that share the ledger; `null` for a ledger of one process. */
  readonly instances: InstanceBoard | null;

  /** The same operations in the name of an actor, for the record of changes. @param actor 1 to 256 characters. */
  as(actor: string): Administration;

  /** Ends expired holds. Gateways do the same regularly. @returns the number of ended holds. */
  expireHolds(): Promise<number>;
}

/** An {@link Administration} whose logs and vendor keys are `null` only where `Options` gives none. */
export type AdministrationOf<Options> = Omit<Administration, 'as' | keyof OptionOf> & {
  readonly [Name in keyof OptionOf]: Options extends Readonly<Record<OptionOf[Name], object>>
    ? NonNullable<Administration[Name]>
    : Administration[Name];
} & {
  /** As {@link Administration.as}. */
  as(actor: string): AdministrationOf<Options>;
};

/** The options that give parts. */
interface OptionOf {
  readonly requests: 'requestLog';
  readonly changes: 'auditLog';
  readonly tenantKeys: 'tenantKeys';
}

/** The log of calls. */
export interface RequestAdministration {
  /** A page of calls, the newest first. @throws AdministrationError `invalid_argument`, also for a text that is no cursor. */
  find(
    filter: RequestFilter,
    page?: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  ): Promise<RequestPage>;
  /**
   * The newest calls. Of more than are wanted, organizations have equal shares, at least one call each, so that one does not hide another. Without
   * `organizations` in the filter they are those with the most calls, at most 200.
   *
   * @param most 1 to 10,000.
   * @returns the newest first, and whether there are more. @throws AdministrationError `invalid_argument`.
   */
  newest(
    filter: RequestFilter,
    most: number,
  ): Promise<{ readonly rows: readonly RequestRow[]; readonly isCut: boolean }>;
  /**
   * Sums by hour or day of all calls, or of all attempts at models, also of calls that are no longer in the log: those of hours for 35 days, those of days for 400.
   *
   * @returns at most 10,000, those with the highest counts. @throws AdministrationError `invalid_argument`.
   */
  statistics(query: StatisticsQuery): Promise<StatisticsRows>;
  /** A call with its attempts. @param id of the request or the answer. */
  get(id: string): Promise<LoggedRequest | undefined>;
  /**
   * The questions and answers that are kept of calls, in any order: for people who may read them.
   *
   * @param requestIds at most 100. @throws AdministrationError `invalid_argument`.
   */
  texts(requestIds: readonly string[]): Promise<readonly RequestText[]>;
  /** Removes all calls of an organization with their texts, such as after the end of a contract. @returns how many calls. */
  erase(organizationId: string): Promise<number>;
  /** Removes the questions and answers of an organization, of one of its keys or of a tag; the calls stay. @returns how many. */
  eraseTexts(owner: RequestTextOwner): Promise<number>;
}

/**
 * Vendor keys of organizations, as in the vault, with an AdministrationError for each LedgerError. The given gateway uses a new key, and stops using a deleted
 * one, at once; others do within a minute. Sealing again has no time limit.
 */
export interface TenantKeyAdministration extends Omit<TenantKeyVault, 'find'> {
  /** The ids of the vendors that need no more than a key. */
  readonly providers: readonly string[];
  /**
   * Sets or replaces the key of an organization at a vendor. No operation returns it. @param apiKey 1 to 600 printable ASCII characters without spaces.
   *
   * @throws AdministrationError `unknown_organization`; `invalid_argument` for another provider or key, without the key; `schema_window_open` while a process
   * that knows no such keys shares the ledger.
   */
  set(organizationId: string, providerId: string, apiKey: string): Promise<TenantKeyView>;
}

/** Kept replies of callers. */
export interface ReplyAdministration {
  /**
   * Removes all replies of an organization: those of idempotency keys, asynchronous answers, and the answers that the given gateway caches. Money stays.
   * Stores of the host without `erase`, and caches in the memory of other processes, keep theirs until their time. @returns how many.
   */
  erase(organizationId: string): Promise<number>;
}

/** The record of who changed what. */
export interface ChangeAdministration {
  /** A page of changes, the newest first. @throws AdministrationError `invalid_argument`. */
  find(
    filter: AuditFilter,
    page?: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
  ): Promise<AuditPage>;
  /** Removes the records of an organization, except those of money and of erasing. @returns how many. */
  erase(organizationId: string): Promise<number>;
}

/** The organizations, with their credits and limits. */
export interface OrganizationAdministration {
  /** Creates an organization. A known organization is returned unchanged, except that it gets the name if it has none. */
  create(organization: NewOrganization): Promise<Organization>;
  /** Changes only the given fields. @throws AdministrationError `unknown_organization`. */
  update(id: string, change: OrganizationUpdate): Promise<Organization>;
  /** Refuses every key of the organization until `resume`. Keeps the time of an earlier suspension. @throws AdministrationError `unknown_organization`. */
  suspend(id: string): Promise<Organization>;
  /** Serves the keys of a suspended organization again. @throws AdministrationError `unknown_organization`. */
  resume(id: string): Promise<Organization>;
  /** The organization with its credits, usage and holds; `undefined` if the key registry does not know it. Without a registry every id has an account. */
  get(id: string): Promise<OrganizationAccount | undefined>;
  /** A page of organizations in order of creation; without a key registry, organizations with entries in the ledger, in order of id. */
  list(query?: RegistryQuery): Promise<RegistryPage<OrganizationView>>;
}

/** The API keys. Without a key registry, keys cannot be managed (`no_key_registry`). */
export interface ApiKeyAdministration {
  /**
   * Creates a key, and its organization if needed. Only this call returns the secret, because only its hash is stored.
   *
   * @throws AdministrationError `unknown_budget`.
   */
  create(key: NewApiKey): Promise<CreatedApiKey>;
  /** `undefined` for an unknown id. */
  get(id: string): Promise<ApiKeyView | undefined>;
  /** The usage and holds of a key; `windowUsage` is the usage in the current window of its limit. All zero for a key that was never used. */
  totals(key: Pick<ApiKeyView, 'id' | 'limitReset'>): Promise<KeyTotals>;
  /** A page of keys in order of creation, including revoked and expired keys. */
  list(query?: RegistryQuery & { readonly organizationId?: string | undefined }): Promise<RegistryPage<ApiKeyView>>;
  /** Refuses the key from now on, forever. Keeps the time of an earlier revocation. @throws AdministrationError `unknown_key`. */
  revoke(id: string): Promise<ApiKeyView>;
  /** Changes only the given fields. @throws AdministrationError `unknown_key`, `unknown_budget`. */
  update(id: string, change: ApiKeyUpdate): Promise<ApiKeyView>;
}

/** An organization as operators see it. Without a key registry only its id is known, and `createdAtMs` is `null`. */
export type OrganizationView = Omit<Organization, 'createdAtMs'> & {
  /** Milliseconds since the Unix epoch; `null` without a key registry. */
  readonly createdAtMs: number | null;
};

/** A key as operators see it: all fields except its hash. */
export type ApiKeyView = Omit<ApiKeyRecord, 'hash'>;

/** An organization to create. Its limits are of all its keys together. */
export interface NewOrganization extends AdmissionLimits {
  /** 1 to 128 printable ASCII characters without spaces. */
  readonly id: string;
  /** For people; at most 1,000 characters. */
  readonly name?: string | null | undefined;
  /** Whether the operator pays: calls need no credits, and only the limits of keys bound the spending. Default `false`. */
  readonly operatorPays?: boolean | undefined;
  /** Which web sites answers may come from: 1 to 1,000 host names; `null` for all. A result has lower-case names with A-labels. */
  readonly domains?: DomainRule | null | undefined;
}

/** The changeable fields of an organization, each as in {@link NewOrganization}. */
export type OrganizationUpdate = Omit<NewOrganization, 'id'>;

/** An organization with its credits, usage and holds. */
export type OrganizationAccount = OrganizationView & OrganizationTotals;

/** Credits for an organization. */
export interface NewGrant {
  /** Created, if it is unknown. */
  readonly organizationId: string;
  /** Decimal USD, zero or more. */
  readonly amount: string;
  /** Default: empty. */
  readonly note?: string | undefined;
  /** Makes a repetition harmless; for example the id of a payment. Default: a new id, so that every call adds credits. */
  readonly grantId?: string | undefined;
}

/** `applied: false`: this id was applied before, and nothing changed. */
export interface GrantResult {
  /** The given id, or the new one. */
  readonly grantId: string;
  /** Whether this call added the credits. */
  readonly applied: boolean;
}

/** A correction of usage. */
export interface NewAdjustment extends Pick<Adjustment, 'organizationId' | 'keyId' | 'budgets'> {
  /** Decimal USD: positive raises usage, negative lowers it. */
  readonly amount: string;
  /** Why; stays in the ledger's entry. */
  readonly note: string;
  /** Makes a repetition harmless. Default: a new id, so that every call applies. */
  readonly adjustmentId?: string | undefined;
}

/** `applied: false`: this id was applied before, and nothing changed. */
export interface AdjustmentResult {
  /** The given id, or the new one. */
  readonly adjustmentId: string;
  /** Whether this call changed the usage. */
  readonly applied: boolean;
}

/** A key to create: the fields of {@link MemoryApiKey} that do not name it. */
export type NewApiKey = Omit<MemoryApiKey, 'apiKey' | 'secretHash' | 'id' | 'revoked'>;

/** The changeable fields of a key, each as in {@link NewApiKey}. To remove a limit that resets, set `limit` and `limitReset` to `null`. */
export type ApiKeyUpdate = {
  readonly [Field in Exclude<keyof NewApiKey, 'organizationId'>]?: NewApiKey[Field] | undefined;
};

/** A new key with its secret. */
export interface CreatedApiKey {
  /** The bearer token. Show it once. */
  readonly secret: string;
  /** As later reads show it. */
  readonly key: ApiKeyView;
}

/** Which sums a statement has. Days are calendar days in UTC. */
export interface StatementQuery extends Pick<UsageQuery, 'by' | 'organizationId' | 'keyId'> {
  /** The first day, an ISO date in UTC. Default: the beginning of the log. */
  readonly from?: string | undefined;
  /** The day after the last day, an ISO date in UTC. Default: the end of the log. */
  readonly to?: string | undefined;
}

/** The sums of one group; its `group` is the id of the organization, the key or the budget, the slug, the tag, or the date (`2026-11-21`). */
export type StatementRow = UsageRow;
