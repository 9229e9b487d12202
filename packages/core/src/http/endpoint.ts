import type { RequestTrace } from '../answer/answer.js';
import type { Claims } from '../answer/claims.js';
import type { Answers } from '../answer/run-answer.js';
import type { ApiKey } from '../auth/api-key.js';
import type { Admission } from '../calls/admission.js';
import type { Category, ModelEntry } from '../catalog/model-entry.js';
import type { Reason } from '../errors/reasons.js';
import type { EventStream, RequestFinished } from '../events/events.js';
import type { Logger } from '../events/logger.js';
import type { IdSource } from '../ids/ids.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Clock } from '../time/clock.js';
import type { GatewayRequest, GatewayResponse } from './gateway-request.js';

/** What the HTTP layer needs of the rest of the gateway. */
export interface HandlerDeps {
  /** @throws RequestError when the caller is not known, may not come in, or cannot be looked up. */
  authenticate(request: GatewayRequest): Promise<ApiKey>;
  /** The whole pipeline from the model's name on. */
  readonly answers: Answers;
  /** Whose `Idempotency-Key`s are in use, and what they were answered. */
  readonly claims: Pick<Claims, 'take' | 'complete' | 'free'>;
  /** The entries an organization sees, with its prices. The same array as long as nothing changed: its text is kept by identity. */
  listModels(category: Category | undefined, organizationId: string): readonly ModelEntry[];
  readonly ledger: Pick<Ledger, 'organizationTotals' | 'keyTotals'>;
  readonly admission: Pick<Admission, 'begin' | 'end' | 'bodyReads' | 'answers'>;
  readonly limits: RequestLimits;
  /** The `WWW-Authenticate` header of `not_authenticated`; `null` for none, `undefined` for the usual one. */
  readonly challenge?: string | null | undefined;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly events: Pick<EventStream, 'emit'>;
  readonly logger: Logger;
}

interface RequestLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** After trimming. */
  readonly maxQueryCharacters: number;
}

/** One of our paths. The methods run in the order they stand in, and the caller is authenticated between the last two. */
export interface Endpoint {
  readonly name: RequestFinished['endpoint'];
  readonly methods: readonly string[];
  /** Refuses what the headers alone show to be wrong, before anything is spent on finding out who calls. */
  checkHeaders(request: GatewayRequest): void;
  respond(request: GatewayRequest, call: AuthenticatedCall): Promise<GatewayResponse> | GatewayResponse;
}

/** What is known of a call; filled in on the way, told by its `request_finished` event. */
export interface CallRecord {
  readonly trace: RequestTrace;
  /** Of the monotonic clock. */
  readonly startMs: number;
  apiKey: ApiKey | null;
  requestedModel: string | null;
  /** Set when an earlier call's response was sent again. */
  replay: { readonly reason: Reason | null } | null;
}

export type AuthenticatedCall = CallRecord & { apiKey: ApiKey };

/** What the three endpoints that only read have in common: no body to check. */
export const READ_ONLY: Pick<Endpoint, 'methods' | 'checkHeaders'> = {
  methods: ['GET', 'HEAD'],
  checkHeaders: () => undefined,
};
