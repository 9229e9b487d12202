import type { ApiKey } from '../auth/api-key.js';
import type { RequestFinished } from '../base/events/events.js';
import type { Category, ModelEntry } from '../catalog/model-entry.js';
import type { Ledger } from '../ledger/ledger.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { RefusedCalls } from '../limits/refused-calls.js';
import type { Reply } from '../limits/unsent-replies.js';
import type { AsyncAnswers } from '../request/async-answers.js';
import type { HandleAnswerDeps } from '../request/handle-answer.js';
import type { AuthenticatedCall, LifecycleDeps, RequestState } from '../request/handle-request-lifecycle.js';
import type { KeyStandingDeps } from '../request/read-key-standing.js';
import type { EndpointOptions } from './endpoint-options.js';
import type { StreamLimits } from './events-body.js';
import type { GatewayRequest, GatewayResponse, TextResponse } from './gateway-request.js';
import type { ErrorPresentation } from './present-error.js';

/** The parts of the gateway that the HTTP layer needs. */
export interface HandlerDeps extends LifecycleDeps, HandleAnswerDeps, KeyStandingDeps {
  /** @throws RequestError when the caller is unknown or refused, or the lookup fails. */
  authenticate(request: KeyedRequest): ApiKey | Promise<ApiKey>;
  /** The models that an organization sees, with its prices. Must return the same array until a change, because the JSON text is cached by array. */
  listModels(query: ModelsQuery, organizationId: string): readonly ModelEntry[];
  /** The fees of an organization by provider, where it may have keys of its own. `undefined` where none may. */
  readonly feesOf?: ((organizationId: string) => Promise<ReadonlyMap<string, ModelEntry['byok']>>) | undefined;
  readonly ledger: Pick<
    Ledger,
    'organizationTotals' | 'keyTotals' | 'budgetTotals' | 'ratesUsed' | 'usage' | 'findHold'
  >;
  readonly admission: Pick<
    InFlightRequests,
    'begin' | 'end' | 'bodyReads' | 'longBodyReads' | 'answers' | 'replies' | 'isDraining' | 'isStopped'
  >;
  readonly limits: RequestLimits;
  readonly refusedCalls: RefusedCalls;
  readonly endpoints: EndpointOptions;
  readonly asyncAnswers: AsyncAnswers;
  /** The paths that serve models, by category. */
  readonly paths: ReadonlyMap<Category, string>;
  readonly streams: StreamLimits;
  /** Returns the OpenAPI document as JSON. @param server the address of the mount path, relative to the document. */
  describeApi(server: string): Promise<string>;
}

/** The part of a request that tells who calls. */
type KeyedRequest = Pick<GatewayRequest, 'method' | 'path' | 'header' | 'host' | 'clientAddress' | 'disconnected'>;

/** What of the list is wanted; `undefined` for all. */
export interface ModelsQuery {
  readonly category?: Category | undefined;
  readonly callable?: boolean | undefined;
}

interface RequestLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  /** After trimming. */
  readonly maxQueryCharacters: number;
}

/** One path of the gateway. The methods run in this order; the caller is authenticated between `checkHeaders` and `respond`. */
export interface Endpoint<Call extends RequestState = AuthenticatedCall> extends ErrorPresentation {
  readonly name: RequestFinished['endpoint'];
  readonly methods: readonly string[];
  /** Largest body. Default: that of the gateway. */
  readonly maxBodyBytes?: number | undefined;
  /** A header in which callers may send their key without `Bearer`; `undefined` for none. */
  readonly keyHeader?: string | undefined;
  /** Refuses requests with wrong headers before the caller is authenticated, which may be costly. */
  checkHeaders(request: GatewayRequest): void;
  respond(exchange: HttpExchange, state: Call): Promise<GatewayResponse> | GatewayResponse;
}

/** A path that needs no key. No limit protects it, so its responses must be built only once. */
export type PublicEndpoint = Endpoint<RequestState>;

/** A request, and the means to begin its response before the call ends. */
export interface HttpExchange {
  readonly request: GatewayRequest;
  /** The key that came in the path, which has its place in the request's path. Absent for other paths. */
  readonly pathKey?: string | undefined;
  /** The response on its way; `null` where the host does not tell of it. */
  readonly reply: Reply | null;
  /** Sends a response whose body follows as a stream. The result of the call is then not sent. */
  readonly begin: (response: GatewayResponse) => void;
  /** Set when the response is sent in parts. */
  stream: SentInParts | null;
}

/** The state of a response that is sent in parts. */
interface SentInParts {
  readonly hasStarted: boolean;
  /** Whether the caller has gone away, or was disconnected for reading too slowly. */
  readonly isAbandoned: boolean;
  /** Ends a response that has begun, for an error. @returns `undefined` if it has not begun: the error is then the response. */
  fail(error: TextResponse): GatewayResponse | undefined;
}

/** The common part of read-only endpoints, which have no body to check. */
export const READ_ONLY: Pick<Endpoint, 'methods' | 'checkHeaders'> = {
  methods: ['GET', 'HEAD'],
  checkHeaders: () => undefined,
};
