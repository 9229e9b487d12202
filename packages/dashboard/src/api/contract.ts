/*
 * The protocol of the page and its server. Every path is relative to the page, so a prefix of the host changes nothing. Amounts are decimal
 * USD (`"25.00"`), times ISO texts in UTC, days `2026-11-21`. Unknown fields and parameters are refused.
 *
 * Reads are GET. Every change is a POST with `content-type: application/json` and `Sec-Fetch-Site: same-origin`, by an operator.
 *
 *   GET  api/session                                → Session
 *   GET  api/models                                 → { models: Model[] }                  (callable models)
 *   GET  api/organizations?after=                   → Page<OrganizationView>               (100 a page)
 *   GET  api/organizations/{id}                     → OrganizationView
 *   POST api/organizations                          { id, name? } → OrganizationView
 *   POST api/organizations/{id}/grant               { amount, note?, grantId } → OrganizationView
 *   POST api/organizations/{id}/limits              { rateLimit, maxConcurrent } → OrganizationView
 *   POST api/organizations/{id}/suspend | resume    {} → OrganizationView
 *
 * If the host authenticates callers, `grant` is the only change of organizations, and `api/keys` does not exist.
 *
 *   GET  api/keys?organization=&after=              → Page<KeyRow>                         (a page may be short even if there is a next page)
 *   POST api/keys                                   NewKey → CreatedKey
 *   POST api/keys/{id}/update                       KeyChange → KeyRow
 *   POST api/keys/{id}/revoke                       {} → KeyRow
 *   POST api/keys/{id}/rotate                       {} → CreatedKey                        (a new key with the same settings; the old key works until it is revoked)
 *   GET  api/usage?by=&organization=&key=&from=&to= → UsageTable                           (both days included; default the last 30 days, at most 1,000)
 *   GET  api/usage.csv?…                            → the same as CSV, a download
 *   GET  api/v1/requests?since=&until=&organization=&key=&model=&provider=&status=&reason=&tag=&id=&limit=&cursor=
 *                                                   → RequestPage                          (the log of calls, newest first)
 *   GET  api/v1/requests/{id}                       → RequestRow with `attempts: LoggedAttempt[]`, by the id of the request or the answer
 *   GET  api/health                                 → Health
 *   GET  api/events                                 → Server-Sent Events: `event: request` with a RequestLine, `event: provider` with a ProviderEvent,
 *                                                     `event: dropped` with { count } if lines came too fast to be sent, comments to keep
 *                                                     alive. It ends after 15 minutes; an EventSource reconnects. At most 20 at once
 *   POST api/ask/{ASKED_PATHS}                      the body of `POST /api/v1/…`, at most 64 KiB → its stream (or its JSON or error body), by a house key of
 *                                                     the page
 *
 * Errors: { error: { message, field: string | null } } with 400, 403 (a viewer, or another site), 404, 405, 408, 409, 413, 415, 500, 503. Without permission every
 * path is a 404 with an empty body. The gateway's errors at api/ask keep their envelope.
 */

/** The last part of the path of each category's calls. */
export const ASKED_PATHS = {
  answer: 'answer',
  search: 'search',
  extract: 'extract',
  rerank: 'rerank',
  embedding: 'embeddings',
} as const;

export interface Session {
  readonly role: 'viewer' | 'operator';
  readonly organizations: 'all' | readonly string[];
  /** Whether keys and organizations can be managed. If not, the host authenticates callers, and only callers with usage are shown. */
  readonly hasKeys: boolean;
  /** Whether there is a log of calls: `api/v1/requests`. */
  readonly hasRequests: boolean;
  /** Whether `api/ask` is available: for operators, if the host has given an organization that pays and that the operator may see. */
  readonly canAsk: boolean;
  /** The answer endpoint relative to the page, for calls with a typed key; the endpoints of other calls are beside it. `null` if the host did not give it. */
  readonly answerUrl: string | null;
  /** The host's logout relative to the page; `null` for none. */
  readonly logoutUrl: string | null;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** `after` of the next page; `null` on the last page. */
  readonly next: string | null;
}

export interface Model {
  readonly id: string;
  readonly name: string;
  readonly category: keyof typeof ASKED_PATHS;
  readonly provider: string;
  readonly features: readonly string[];
  /** The supported keys of `search`. */
  readonly options: readonly string[];
  /** The price for people, such as "$0.005 a call" or "depends on use". */
  readonly price: string;
}

export interface RateLimit {
  readonly requests: number;
  readonly periodMs: number;
}

export interface OrganizationView {
  readonly id: string;
  readonly name: string | null;
  /** `null` if the host manages organizations. */
  readonly createdAt: string | null;
  readonly suspendedAt: string | null;
  readonly rateLimit: RateLimit | null;
  readonly maxConcurrent: number | null;
  readonly credits: string;
  readonly usage: string;
  readonly held: string;
  /** `credits − usage`. */
  readonly balance: string;
}

export interface KeyRow {
  readonly id: string;
  readonly organizationId: string;
  readonly label: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly limit: string | null;
  readonly limitReset: 'daily' | 'weekly' | 'monthly' | null;
  readonly allowedModels: readonly string[] | null;
  readonly rateLimit: RateLimit | null;
  readonly maxConcurrent: number | null;
  /** Usage in the current window of the limit; of all time without a window. */
  readonly usage: string;
  readonly held: string;
}

export interface NewKey {
  readonly organizationId: string;
  readonly label: string;
  readonly limit?: string | null;
  readonly limitReset?: KeyRow['limitReset'];
  readonly allowedModels?: readonly string[] | null;
  readonly rateLimit?: RateLimit | null;
  readonly maxConcurrent?: number | null;
  readonly expiresAt?: string | null;
}

export type KeyChange = Partial<Omit<NewKey, 'organizationId'>>;

/** The only response with the secret. */
export interface CreatedKey {
  readonly secret: string;
  readonly key: KeyRow;
}

export interface UsageTable {
  readonly by: 'organization' | 'key' | 'model' | 'tag' | 'day';
  /** In group order; by day, all days of the range. At most 1,000 rows: those with the highest charges. */
  readonly rows: readonly UsageLine[];
  readonly total: Omit<UsageLine, 'group'>;
  /** Number of groups missing in `rows`. */
  readonly omitted: number;
  /** Estimated charges of the current month, from the average of the last seven whole days of the range; `null` unless the range ends today and has a whole day. */
  readonly forecast: string | null;
}

export interface UsageLine {
  /** `null` for usage without a group. */
  readonly group: string | null;
  readonly requests: number;
  readonly charged: string;
  readonly cachedRequests: number;
  readonly upstreamCost: string;
  readonly lost: string;
  readonly granted: string;
  readonly adjusted: string;
}

export interface Health {
  /** `reason` says why the ledger could not be read within a second. */
  readonly ledger: { readonly isReachable: boolean; readonly readMs: number | null; readonly reason: string | null };
  readonly inFlight: number;
  readonly settlesWaiting: number;
  readonly isClosing: boolean;
  /** Minutes since this process started, at most 60. */
  readonly sinceMinutes: number;
  readonly providers: readonly ProviderHealth[];
}

export interface ProviderHealth {
  readonly id: string;
  readonly state: 'serving' | 'paused' | 'probing';
  readonly pausedUntil: string | null;
  readonly attempts: number;
  readonly failures: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Attempts and failures in each of the last 60 minutes, oldest first. */
  readonly minutes: readonly { readonly attempts: number; readonly failures: number }[];
}

/** A finished request, without its query. */
export interface RequestLine {
  readonly at: string;
  readonly requestId: string;
  readonly endpoint: string;
  readonly status: number;
  readonly reason: string | null;
  readonly organizationId: string | null;
  readonly keyId: string | null;
  readonly model: string | null;
  readonly provider: string | null;
  readonly cost: string | null;
  readonly cache: string | null;
  readonly attempts: number;
  readonly durationMs: number;
  readonly firstContentMs: number | null;
}

export interface ProviderEvent {
  readonly at: string;
  readonly provider: string;
  readonly state: 'paused' | 'resumed';
  readonly reason: string | null;
  /** The only organization it is paused for; `null` for all. */
  readonly organizationId: string | null;
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
}

export interface RequestPage {
  readonly data: readonly RequestRow[];
  readonly next_cursor: string | null;
}

export interface LoggedAttempt {
  readonly provider: string;
  readonly model: string;
  readonly outcome: string;
  readonly duration_ms: number;
  readonly cost: string | null;
}
