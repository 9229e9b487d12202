import type { ApiKey } from '../auth/api-key.js';
import type { RequestFinished } from '../base/events/events.js';
import type { Category, ModelEntry } from '../catalog/model-entry.js';
import type { Ledger } from '../ledger/ledger.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { AnswerCallDeps } from '../request/answer-call.js';
import type { AuthenticatedCall, LifecycleDeps, RequestState } from '../request/handle-request-lifecycle.js';
import type { KeyStandingDeps } from '../request/read-key-standing.js';
import type { AnswerStream, StreamLimits } from './answer-stream.js';
import type { EndpointOptions } from './endpoint-options.js';
import type { GatewayRequest, GatewayResponse } from './gateway-request.js';
import type { ErrorHeaders, PresentError } from './present-error.js';

/** What the HTTP layer needs of the rest of the gateway. */
export interface HandlerDeps extends LifecycleDeps, AnswerCallDeps, KeyStandingDeps {
  /** @throws RequestError when the caller is not known, may not come in, or cannot be looked up. */
  authenticate(request: GatewayRequest): ApiKey | Promise<ApiKey>;
  /** The entries an organization sees, with its prices. The same array as long as nothing changed: its text is kept by identity. */
  listModels(category: Category | undefined, organizationId: string): readonly ModelEntry[];
  readonly ledger: Pick<Ledger, 'organizationTotals' | 'keyTotals' | 'ratesUsed' | 'usage' | 'findHold'>;
  readonly admission: Pick<InFlightRequests, 'begin' | 'end' | 'bodyReads' | 'answers' | 'isDraining'>;
  readonly limits: RequestLimits;
  readonly endpoints: EndpointOptions;
  readonly streams: StreamLimits;
  /** Makes the OpenAPI document, as JSON. */
  describeApi(): Promise<string>;
}

interface RequestLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** After trimming. */
  readonly maxQueryCharacters: number;
}

/** One of our paths. The methods run in the order they stand in, and the caller is authenticated between the last two. */
export interface Endpoint<Call extends RequestState = AuthenticatedCall> {
  readonly name: RequestFinished['endpoint'];
  readonly methods: readonly string[];
  /** The body of its errors; `undefined` for the usual one. */
  readonly presentError?: PresentError | undefined;
  /** More headers of its errors; `undefined` for none. */
  readonly errorHeaders?: ErrorHeaders | undefined;
  /** Refuses what the headers alone show to be wrong, before anything is spent on finding out who calls. */
  checkHeaders(request: GatewayRequest): void;
  respond(exchange: HttpExchange, call: Call): Promise<GatewayResponse> | GatewayResponse;
}

/** A path that needs no key. Nothing limits how often it is asked for, so its responses are made beforehand. */
export type PublicEndpoint = Endpoint<RequestState>;

/** One request and the way to answer it before the call is over. */
export interface HttpExchange {
  readonly request: GatewayRequest;
  /** Sends a response whose body is still to come. What the call ends with is then sent nowhere. */
  readonly begin: (response: GatewayResponse) => void;
  /** Set once an answer is wanted while it comes. */
  stream: AnswerStream | null;
}

/** What the endpoints that only read have in common: no body to check. */
export const READ_ONLY: Pick<Endpoint, 'methods' | 'checkHeaders'> = {
  methods: ['GET', 'HEAD'],
  checkHeaders: () => undefined,
};
