import type { Category } from '@searchgate/core';
import type { Role } from '../roles.js';

/*
 * The admin API, `api/v1` below the page's path: of the page, and of scripts. Amounts are decimal USD (`"25.00"`), times ISO texts in UTC, days
 * `2026-11-21`. Unknown fields and parameters are refused. A list is `{ data, next_cursor }`; it takes `cursor` and `limit` (1 to 1,000; default 100).
 *
 * Reads are GET. Every change is a POST, PUT or DELETE with `content-type: application/json`, which a DELETE without a body may leave out, by an operator; with a bearer token, or with `Sec-Fetch-Site: same-origin` as
 * browsers send it with the page's own.
 *
 *   GET  session                                    → Session
 *   GET  models                                     → Page<Model>                          (all callable models at once)
 *   GET  organizations?search=&cursor=&limit=       → Page<OrganizationView>               (`search`: a part of the id or the name; a page may be short even if there is a next page)
 *   GET  organizations/{id}                         → OrganizationView
 *   POST organizations                              { id } and the fields of `update` → OrganizationView
 *   POST organizations/{id}/grant                   { amount, note?, grant_id } → OrganizationView
 *   POST organizations/{id}/adjust                  { amount, note, key_id?, budgets?, adjustment_id } → OrganizationView   (a signed correction of usage)
 *   POST organizations/{id}/update                  { name?, operator_pays?, rate_limit?, max_concurrent?, domains? } → OrganizationView
 *                                                   (`domains` needs the right to see all organizations)
 *   POST organizations/{id}/erase                   {} → Erased                            (removes its kept replies, its own keys at providers, and its rows from both logs)
 *   POST organizations/{id}/suspend | resume        {} → OrganizationView
 *
 *   GET    organizations/{id}/budgets?cursor=&limit= → Page<BudgetRow>                      (at most 100 on a page)
 *   GET    organizations/{id}/budgets/{budget}      → BudgetRow
 *   PUT    organizations/{id}/budgets/{budget}      { limit, limit_reset?, mode? } → BudgetRow   (sets or replaces it)
 *   DELETE organizations/{id}/budgets/{budget}      → BudgetRow                            (as it was; 409 while keys name it)
 *
 *   GET    organizations/{id}/tenant-keys           → Page<TenantKeyRow>                   (all at once; 404 where the host keeps no such keys)
 *   PUT    organizations/{id}/tenant-keys/{provider} { api_key } → TenantKeyRow            (sets or replaces the key that the organization has at the provider)
 *   DELETE organizations/{id}/tenant-keys/{provider} → TenantKeyRow                        (as it was)
 *
 * If the host authenticates callers, `grant`, `adjust` and `erase` are the only changes of organizations, and there is no `keys` and no `budgets`.
 *
 *   GET  keys?organization=&search=&state=&sort=&cursor=&limit=
 *                                                   → KeyPage                              (a page may be short even if there is a next page)
 *   GET  keys.csv?organization=&search=&state=&sort= → the same as CSV, a download of at most 1,000 keys
 *   POST keys                                       NewKey → CreatedKey
 *   GET  keys/{id}                                  → KeyRow
 *   POST keys/{id}/update                           KeyChange → KeyRow
 *   POST keys/{id}/revoke                           {} → KeyRow
 *   POST keys/{id}/rotate                           {} → CreatedKey                        (a new key with the same settings; the old key works until it is revoked)
 *   GET  usage?by=&organization=&key=&from=&to=     → UsageTable                           (both days included; default the last 30 days, at most 1,000)
 *   GET  usage.csv?…                                → the same as CSV, a download
 *   GET  requests?since=&until=&organization=&key=&model=&provider=&status=&reason=&tag=&budget=&id=&limit=&cursor=
 *                                                   → Page<RequestRow>                     (the log of calls, newest first)
 *   GET  requests.csv?…&texts=                      → the same as CSV, a download of the newest 10,000; `texts=true` with questions and answers,
 *                                                     for readers and operators, at most 16 million characters
 *   GET  requests/{id}                              → RequestWithAttempts, by the id of the request or the answer
 *   GET  requests/{id}/text                         → CapturedText                         (for readers and operators; 404 where nothing was kept, and why)
 *   GET  statistics?by=&of=&measure=&since=&until=&kind=&model=&provider=&organization=
 *                                                   → Statistics                           (`by`: at most two fields, such as `model,kind`; `of`: `calls` or `attempts`;
 *                                                     `measure` gives the order; by key and by tag only cost and calls, of whole days; `until` is now if missing)
 *   GET  statistics.csv?…                           → its groups as CSV, without `by` its spans
 *   GET  changes?since=&until=&organization=&key=&actor=&limit=&cursor=
 *                                                   → Page<ChangeRow>                      (who changed what, newest first)
 *   GET  openapi.json                               → the routes for scripts as OpenAPI 3.1
 *   GET  health                                     → Health
 *   POST ask/{pathOf}                               the body of `POST /api/v1/…`, at most 64 KiB → its stream (or its JSON or error body), by a house key of
 *                                                     the page
 *
 * Errors: { error: { message, field: string | null } } with 400, 403 (a viewer, or another site), 404, 405, 408, 409, 413, 415, 500, 503. Without permission every
 * path is a 404 with an empty body. The gateway's errors at `ask` keep their envelope.
 */

export interface Session {
  readonly role: Role;
  readonly organizations: 'all' | readonly string[];
  /** Who it is, in the record of changes: `actor` of the host, else `dashboard`. */
  readonly actor: string;
  /** Whether keys and organizations can be managed. If not, the host authenticates callers, and only callers with usage are shown. */
  readonly has_keys: boolean;
  /** Whether there is a log of calls: `requests`. */
  readonly has_requests: boolean;
  /** Whether changes are recorded: `changes`. */
  readonly has_changes: boolean;
  /** The providers at which organizations may have own keys: `tenant-keys`. `null` where the host keeps no such keys. */
  readonly tenant_key_providers: readonly string[] | null;
  /** Whether `requests/{id}/text` is available: for readers and operators, where questions and answers are kept. */
  readonly can_read_texts: boolean;
  /** Whether `ask` is available: for operators, if the host has given an organization that pays and that the operator may see. */
  readonly can_ask: boolean;
  /** The answer endpoint relative to the page, for calls with a typed key; the endpoints of other calls are beside it. `null` if the host did not give it. */
  readonly answer_url: string | null;
  /** The host's logout relative to the page; `null` for none. */
  readonly logout_url: string | null;
}

export interface Page<Row> {
  readonly data: readonly Row[];
  /** `cursor` of the next page; `null` on the last page. */
  readonly next_cursor: string | null;
}

export interface Model {
  readonly id: string;
  readonly name: string;
  readonly category: Category;
  readonly provider: string;
  readonly features: readonly string[];
  /** What the host states about its contract with the provider, such as `zdr`. */
  readonly policies: readonly string[];
  /** The supported keys of `search`. */
  readonly options: readonly string[];
  /** The price for people, such as "$0.005 a call" or "depends on use". */
  readonly price: string;
}

interface RateLimit {
  readonly requests: number;
  readonly period_ms: number;
}

/** The web sites that answers may come from, each with all hosts below it: only these, or all but these. `null`: all. */
export type Domains = { readonly only: readonly string[] } | { readonly never: readonly string[] } | null;

export interface OrganizationView {
  readonly id: string;
  readonly name: string | null;
  /** `null` if the host manages organizations. */
  readonly created_at: string | null;
  readonly suspended_at: string | null;
  readonly rate_limit: RateLimit | null;
  readonly max_concurrent: number | null;
  /** Of all its keys. */
  readonly domains: Domains;
  /** Charged since the first day of the month in UTC. */
  readonly spent_this_month: string;
  /** `null` if there are more than 1,000 keys to count, or none of a registry. */
  readonly keys: number | null;
  /** The newest call in the log; `null` if there is none, or the log does not answer within a second. */
  readonly last_used_at: string | null;
  /** Whether its calls need no credits. */
  readonly operator_pays: boolean;
  readonly credits: string;
  readonly usage: string;
  readonly held: string;
  /** `credits − usage`. */
  readonly balance: string;
}

export interface BudgetRow {
  readonly id: string;
  readonly limit: string;
  readonly limit_reset: KeyRow['limit_reset'];
  /** `warn` refuses nothing: alerts tell of it. */
  readonly mode: 'enforce' | 'warn';
  /** Usage in the current window of the limit; of all time without a window. */
  readonly usage: string;
  readonly held: string;
  /** `limit − usage`: negative where more was used. */
  readonly limit_remaining: string;
  /** The end of the window; `null` without a window. */
  readonly resets_at: string | null;
  readonly created_at: string;
}

/** A key that an organization has at a provider itself. No response has the key. */
export interface TenantKeyRow {
  readonly provider: string;
  /** Empty for a short key. */
  readonly last_characters: string;
  readonly created_at: string;
}

export interface KeyRow {
  readonly id: string;
  readonly organization_id: string;
  readonly label: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  /** `null` if no call is in the log; in a list, among the newest 5,000 calls. */
  readonly last_used_at: string | null;
  readonly limit: string | null;
  readonly limit_reset: 'daily' | 'weekly' | 'monthly' | null;
  readonly allowed_models: readonly string[] | null;
  /** Ids of the budgets of its organization that it counts in. */
  readonly budgets: readonly string[];
  readonly rate_limit: RateLimit | null;
  readonly max_concurrent: number | null;
  /** Beside the rule of its organization: both hold. */
  readonly domains: Domains;
  /** Usage in the current window of the limit; of all time without a window. */
  readonly usage: string;
  readonly held: string;
}

export interface KeyPage extends Page<KeyRow> {
  /** Whether there are more than 1,000 keys, of which only 1,000 were searched and sorted. */
  readonly is_cut: boolean;
}

export interface NewKey {
  readonly organization_id: string;
  readonly label: string;
  readonly limit?: string | null;
  readonly limit_reset?: KeyRow['limit_reset'];
  readonly allowed_models?: readonly string[] | null;
  readonly budgets?: readonly string[];
  readonly rate_limit?: RateLimit | null;
  readonly max_concurrent?: number | null;
  readonly domains?: Domains;
  readonly expires_at?: string | null;
}

export type KeyChange = Partial<Omit<NewKey, 'organization_id'>>;

/** The only response with the secret. */
export interface CreatedKey {
  readonly secret: string;
  readonly key: KeyRow;
}

export interface UsageTable {
  readonly by: 'organization' | 'key' | 'budget' | 'model' | 'tag' | 'day';
  /** In group order; by day, all days of the range. At most 1,000 rows: those with the highest charges. */
  readonly data: readonly UsageLine[];
  /** Of everything. By budget the rows overlap, and are more in sum. */
  readonly total: Omit<UsageLine, 'group'>;
  /** Number of groups missing in `data`. */
  readonly omitted: number;
  /** Estimated charges of the current month, from the average of the last seven whole days of the range; `null` unless the range ends today and has a whole day. */
  readonly forecast: string | null;
}

export interface UsageLine {
  /** `null` for usage without a group. */
  readonly group: string | null;
  /** Of a key, if the registry has it among its first 1,000. */
  readonly label?: string | undefined;
  readonly requests: number;
  readonly charged: string;
  readonly cached_requests: number;
  readonly upstream_cost: string;
  readonly lost: string;
  readonly granted: string;
  readonly adjusted: string;
}

export interface Health {
  readonly ledger: {
    /** Whether it could be read within a second, and the gateway can use it. */
    readonly is_reachable: boolean;
    readonly read_ms: number | null;
    /** Why it is not reachable. */
    readonly reason: string | null;
    /** Since when the gateway cannot use it, as readiness and metrics say; `null` while it can. */
    readonly down_since: string | null;
  };
  readonly in_flight: number;
  readonly settles_waiting: number;
  readonly is_closing: boolean;
  /** What calls of this process cannot use now: stores, then providers that are paused for all. */
  readonly outages: readonly Outage[];
  /** Minutes since this process started, at most 60. */
  readonly since_minutes: number;
  /** The process that answers. */
  readonly instance: InstanceView;
  /** Other processes with a page that share the ledger, seen in the last minute; `null` for a ledger of one process. */
  readonly others: readonly InstanceView[] | null;
  readonly providers: readonly ProviderHealth[];
  /** The last that this process has seen, at most 20, newest first. */
  readonly alerts: readonly Alert[];
}

export interface Outage {
  readonly of: 'ledger' | 'key_store' | 'idempotency' | 'request_log' | 'provider';
  /** Its id; `null` of a store. */
  readonly provider: string | null;
  /** `null` if this process has not seen the begin. */
  readonly since: string | null;
  /** The models that only the paused provider serves; empty of a store. */
  readonly models: readonly string[];
}

export interface InstanceView {
  readonly id: string;
  /** The name of its host, and the number of the process. */
  readonly name: string;
  readonly started_at: string;
}

export interface Alert {
  readonly at: string;
  readonly type: 'budget_threshold' | 'budget_exhausted' | 'credits_low' | 'provider_paused';
  /** `null` if it concerns all. */
  readonly organization_id: string | null;
  readonly key_id: string | null;
  readonly provider: string | null;
  /** For people, such as "used $8 of $10 and reached 80 %". */
  readonly message: string;
}

/** What was called, in spans of a time, told apart by at most two fields. */
export interface Statistics {
  readonly by: readonly StatisticsBy[];
  /** Calls, or attempts at models: then without those that failed by what a caller asked, and without hedges that lost. */
  readonly of: 'calls' | 'attempts';
  /** Of charges by key and by tag, which are known by whole days alone: `day`. */
  readonly step: 'minute' | 'hour' | 'day';
  /** The whole spans that the figures cover. */
  readonly since: string;
  readonly until: string;
  /** The begin of each span. */
  readonly times: readonly string[];
  readonly total: Figures & { readonly slots: readonly Figures[] };
  /** The groups with the most of the measure, at most 500. The first eight have a figure for each span, unless there are too many to read; of the others none. */
  readonly data: readonly (Figures & {
    /** In the order of `by`; empty texts for none. */
    readonly group: readonly string[];
    /** Of a key, if the registry has it among its first 1,000, as its organization. */
    readonly label?: string | undefined;
    readonly organization?: string | undefined;
    readonly slots: readonly Figures[] | null;
  })[];
  /** Number of groups missing in `data`. */
  readonly omitted: number;
}

export type StatisticsBy = 'kind' | 'model' | 'provider' | 'organization' | 'outcome' | 'key' | 'tag';
export type Measure = keyof Figures;

export interface Figures {
  /** Where only charges are known, their number. */
  readonly calls: number;
  /** `null` where only charges are known, as the figures below. */
  readonly failures: number | null;
  /** Calls that were answered after a failed attempt; of attempts, failures that another attempt made good. */
  readonly rescued: number | null;
  /** Of calls what was charged; of attempts what is known of their cost, also of those that are not counted. */
  readonly cost: string;
  /** Of answers, by their counts in spans of time: an estimate. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export interface ProviderHealth {
  readonly id: string;
  readonly state: 'serving' | 'paused' | 'probing';
  readonly paused_until: string | null;
  /** The keys of a provider that has several, by name; empty for one key. */
  readonly keys: readonly {
    readonly name: string;
    /** `serving`, or why the key is left out. */
    readonly state: 'serving' | 'rejected' | 'out_of_credit' | 'rate_limited';
    /** Until when it is left out; `null` where it is not, or for good. */
    readonly out_until: string | null;
  }[];
  readonly attempts: number;
  readonly failures: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  /** Attempts and failures in each of the last 60 minutes, oldest first. */
  readonly minutes: readonly { readonly attempts: number; readonly failures: number }[];
}

export interface Erased {
  readonly replies: number;
  readonly requests: number;
  /** Own keys at providers. */
  readonly tenant_keys: number;
  /** Without records of money and of erasing, which stay. `null`: none, since only those who may see all organizations erase changes. */
  readonly changes: number | null;
}

export interface ErrorBody {
  /** `field`: of the body or the query. */
  readonly error: { readonly message: string; readonly field: string | null };
}

/** A change that somebody made. Details are JSON objects. */
export interface ChangeRow {
  readonly id: string;
  readonly at: string;
  /** A person, `token:` and its name, `cli:` and a user of the system. */
  readonly actor: string;
  readonly action: string;
  readonly organization_id: string;
  readonly key_id: string | null;
  /** `begun`: it may have been made, but its end is not recorded. */
  readonly outcome: 'begun' | 'made' | 'failed';
  readonly given: object;
  readonly before: object | null;
  readonly after: object | null;
}

/** A call in the log. Amounts are decimal USD, `null` for nothing or unknown; times are ISO texts. */
export interface RequestRow {
  readonly request_id: string;
  readonly answer_id: string | null;
  readonly at: string;
  readonly endpoint: string;
  readonly key_id: string;
  readonly organization_id: string;
  readonly tag: string | null;
  /** Ids of the budgets that it counted in. */
  readonly budgets: readonly string[];
  /** Whether the provider's key was the organization's own: then `cost` is the fee. */
  readonly byok: boolean;
  readonly model_asked: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly status: number;
  readonly reason: string | null;
  readonly stream: boolean;
  readonly cache: string | null;
  readonly cost: string | null;
  readonly upstream_cost: string | null;
  readonly loss: string;
  readonly duration_ms: number;
  readonly upstream_ms: number;
  readonly first_part_ms: number | null;
  /** Of a failure: why the last attempt that failed did. `null` for a success, and where no provider was asked. */
  readonly cause: (FailureCodes & Pick<LoggedAttempt, 'provider' | 'model'>) | null;
  /** The ids of all providers that were asked. */
  readonly attempted: readonly string[];
  readonly attempt_count: number;
  /** Whether it was answered although an attempt had failed. */
  readonly rescued: boolean;
}

/** Why an attempt failed, in codes; `null` for none. */
interface FailureCodes {
  /** How far it came: `connect`, `headers`, `body`, `parse`, `shape`. */
  readonly phase: string | null;
  /** The provider's HTTP status. */
  readonly upstream_status: number | null;
  /** Of the connection, such as `ECONNREFUSED`. */
  readonly code: string | null;
}

export interface RequestWithAttempts extends RequestRow {
  /** What the caller was told of a failure; `null` for an answer. */
  readonly message: string | null;
  readonly attempts: readonly LoggedAttempt[];
}

/** What a call asked and what came of it, as far as it was kept. */
export interface CapturedText {
  /** The query; behind it the caller's other texts. */
  readonly question: string;
  /** The text; of searches and the like an entry in JSON on each line. `null` for a failure, and for vectors. */
  readonly answer: string | null;
  /** Whether the end of either is missing. */
  readonly is_cut: boolean;
  readonly expires_at: string;
}

export interface LoggedAttempt extends FailureCodes {
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
  /** From the begin of the call to that of the attempt. Absent where the log has none, as of older packages. */
  readonly start_ms?: number | undefined;
  readonly duration_ms: number;
  /** As the provider reports it; what was charged, of a part. */
  readonly cost: string | null;
  /** The name of the provider's key that was used last, of a provider with several keys. */
  readonly key?: string | undefined;
  /** Set where it was asked for a part of another model's answer. */
  readonly part?: true | undefined;
}
