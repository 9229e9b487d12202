import type { ApiKey } from '../auth/api-key.js';
import { KeyStoreFailure } from '../auth/authenticator.js';
import type { Reason } from '../base/errors/reasons.js';
import { isRequestError, RequestError } from '../base/errors/request-error.js';
import type { EventStream, RequestFinished } from '../base/events/events.js';
import type { Logger } from '../base/events/logger.js';
import type { TracedRequest, Tracing } from '../base/events/tracing.js';
import type { IdSource } from '../base/ids.js';
import type { Clock } from '../base/time/clock.js';
import type { RequestContext } from '../call/answer.js';
import type { Semaphore } from '../limits/fair-shares.js';
import type { InFlightRequests } from '../limits/in-flight-requests.js';
import type { Reply } from '../limits/unsent-replies.js';

/** The state of a call: filled in while it runs, reported by its `request_finished` event. */
export interface RequestState {
  /** The part that the pipeline fills in. */
  readonly context: RequestContext;
  /** By the monotonic clock. */
  readonly startMs: number;
  apiKey: ApiKey | null;
  requestedModel: string | null;
  /** When a streamed answer's first part arrived, by the monotonic clock; `null` before, and for answers that are not streamed. */
  firstContentMs: number | null;
  /** The semaphore whose slot the call keeps until it has ended, and its response is sent or given up. */
  slot: Pick<Semaphore, 'free'> | null;
  /** Set when the outcome of an earlier call is replayed. A replayed error names the `requestId` of that call. */
  replay: { readonly requestId?: string } | null;
  /** The reason of a refusal that is sent as a successful response; `null` otherwise. */
  refusal: Reason | null;
  /** See {@link RequestFinished.ignoredFields}. */
  ignoredFields?: number | undefined;
}

export type AuthenticatedCall = RequestState & { apiKey: ApiKey };

/**
 * One kind of request, in the terms of its transport. The functions run in the order of this list.
 *
 * @typeParam Input an HTTP request, or the options of a call in process.
 * @typeParam Output the transport's result.
 * @typeParam Key the caller's key; `null` for requests without authentication.
 */
export interface RequestHandler<Input, Output, Key extends ApiKey | null = ApiKey> {
  readonly name: RequestFinished['endpoint'];
  /** Refuses requests that are never served, before the call is counted. @throws RequestError */
  check(input: Input): void;
  /** @throws RequestError when the caller is unknown or refused, or the lookup fails. */
  authenticate(input: Input): Key | Promise<Key>;
  /** @throws RequestError */
  respond(input: Input, state: RequestState & { apiKey: Key }): Promise<Output> | Output;
  /** Turns an error into an output, or throws it. */
  refuse(error: RequestError, state: RequestState, input: Input): Output;
  /** The HTTP status of an output, for the event. */
  statusOf(output: Output): number;
  /** Whether the caller has gone away. */
  isDisconnected(input: Input): boolean;
  /** The caller's own id of the request. */
  clientRequestId(input: Input): string | null;
  /** The response on its way, which takes over the slot; `null` or absent for an output that is at hand. */
  replyOf?(input: Input): Pick<Reply, 'end'> | null;
}

/** Runs a call from its first check to its event. Throws only what {@link RequestHandler.refuse} throws. */
export type HandleRequest = <Input, Output, Key extends ApiKey | null>(
  handler: RequestHandler<Input, Output, Key>,
  input: Input,
) => Promise<Output>;

export interface LifecycleDeps {
  readonly admission: Pick<InFlightRequests, 'begin' | 'end'>;
  readonly clock: Clock;
  readonly newId: IdSource;
  readonly events: Pick<EventStream, 'emit'>;
  readonly logger: Logger;
  /** `undefined` when the host does not trace. */
  readonly tracing?: Tracing | undefined;
}

/**
 * Builds the wrapper of every call, over HTTP and in process: it counts and authenticates the call, and turns every exception into a
 * `RequestError`. Every call ends in one `request_finished` event. A caller without a valid key costs at most one lookup.
 */
export function createRequestLifecycle(deps: LifecycleDeps): HandleRequest {
  const { tracing } = deps;

  async function run<Input, Output, Key extends ApiKey | null>(
    handler: RequestHandler<Input, Output, Key>,
    input: Input,
    span?: TracedRequest,
  ): Promise<Output> {
    const state = openCall(deps, span);
    let isCounted = false;
    try {
      handler.check(input);
      deps.admission.begin();
      isCounted = true;
      const apiKey = await handler.authenticate(input);
      state.apiKey = apiKey;
      const output = await handler.respond(input, state as RequestState & { apiKey: Key });
      finish(deps, handler, { input, state, status: handler.statusOf(output), reason: state.refusal });
      return output;
    } catch (thrown) {
      const error = isRequestError(thrown) ? thrown : unforeseen(deps, state, thrown);
      const lastKnown = error.cause instanceof KeyStoreFailure ? error.cause.lastKnown : undefined;
      finish(deps, handler, { input, state, lastKnown, status: error.status, reason: error.reason });
      return handler.refuse(error, state, input);
    } finally {
      const reply = handler.replyOf?.(input) ?? null;
      if (reply !== null) reply.end(state.slot);
      else if (state.slot !== null && state.apiKey !== null) state.slot.free(state.apiKey.organizationId);
      if (isCounted) deps.admission.end();
    }
  }

  if (tracing === undefined) return run;
  return (handler, input) => {
    const span = tracing.startRequest({ endpoint: handler.name });
    return span === undefined ? run(handler, input) : span.run(() => run(handler, input, span));
  };
}

function openCall({ clock, newId }: LifecycleDeps, span: TracedRequest | undefined): RequestState {
  const requestId = `req_${newId(clock.now())}`;
  return {
    context: openContext(requestId, span),
    startMs: clock.monotonic(),
    apiKey: null,
    requestedModel: null,
    firstContentMs: null,
    slot: null,
    replay: null,
    refusal: null,
  };
}

/** Handles an exception that should have been a `RequestError`. */
function unforeseen({ logger }: LifecycleDeps, { context: { requestId } }: RequestState, error: unknown): RequestError {
  try {
    logger.error({ error, requestId }, 'a request failed for an unforeseen reason');
  } catch {
    // The caller gets its response even if the logger fails.
  }
  return new RequestError('internal_error', { cause: error });
}

interface Finished<Input> {
  readonly input: Input;
  readonly state: RequestState;
  /** The key of a call that was refused because the key could not be looked up. */
  readonly lastKnown?: ApiKey | undefined;
  readonly status: number;
  readonly reason: Reason | null;
}

function finish<Input, Output>(
  { events, clock }: LifecycleDeps,
  handler: RequestHandler<Input, Output, ApiKey | null>,
  { input, state, lastKnown, status, reason }: Finished<Input>,
): void {
  const { context } = state;
  const apiKey = state.apiKey ?? lastKnown;
  const gone = handler.isDisconnected(input);
  const event: RequestFinished = {
    type: 'request_finished',
    atMs: clock.now(),
    requestId: context.requestId,
    clientRequestId: handler.clientRequestId(input),
    answerId: context.answerId,
    endpoint: handler.name,
    status: gone ? CLIENT_CLOSED_REQUEST : status,
    reason: gone ? 'client_closed_request' : reason,
    replayed: state.replay !== null,
    keyId: apiKey?.id ?? null,
    organizationId: apiKey?.organizationId ?? null,
    tag: context.tag,
    requestedModel: state.requestedModel,
    model: context.model,
    provider: context.provider,
    cost: context.cost,
    parts: context.parts,
    upstreamCost: context.upstreamCost,
    loss: context.loss,
    cache: context.cache?.status ?? null,
    joined: context.joined,
    attempts: context.attempts,
    durationMs: clock.monotonic() - state.startMs,
    firstContentMs: state.firstContentMs === null ? null : state.firstContentMs - state.startMs,
    upstreamMs: context.upstreamMs,
    ignoredFields: state.ignoredFields,
    byok: context.byok ? true : undefined,
    tenantCost: context.tenantCost,
    budgets: context.answerId === null ? undefined : apiKey?.budgets?.map(({ id }) => id),
  };
  events.emit(event);
  context.span?.end(event);
}

const CLIENT_CLOSED_REQUEST = 499;

/** The empty context of a new request. */
export function openContext(requestId: string, span?: TracedRequest): RequestContext {
  return {
    requestId,
    span,
    model: null,
    provider: null,
    cost: null,
    answerId: null,
    tag: null,
    parts: undefined,
    upstreamCost: null,
    tenantCost: undefined,
    byok: false,
    loss: 0n,
    attempts: 0,
    upstreamMs: 0,
    askedAtMs: null,
    waitedMs: 0,
    rates: null,
    cache: null,
    joined: false,
  };
}
