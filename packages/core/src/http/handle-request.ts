import type { Reason } from '../errors/reasons.js';
import { isRequestError, RequestError } from '../errors/request-error.js';
import { answerEndpoint } from './answer-endpoint.js';
import { creditsEndpoint } from './credits-endpoint.js';
import type { AuthenticatedCall, CallRecord, Endpoint, HandlerDeps } from './endpoint.js';
import type { GatewayRequest, GatewayResponse } from './gateway-request.js';
import { keyEndpoint } from './key-endpoint.js';
import { modelsEndpoint } from './models-endpoint.js';
import { errorResponse } from './present-error.js';

const CLIENT_CLOSED_REQUEST = 499;
const MAX_CLIENT_REQUEST_ID_CHARACTERS = 128;

/**
 * Builds the function that serves HTTP requests: it knows which paths are ours (exactly four, no trailing slash), the order of checks,
 * and that every request of ours ends in one response and one `request_finished` event. It never rejects; `undefined` means not ours.
 */
export function createRequestHandler(
  deps: HandlerDeps,
): (request: GatewayRequest) => Promise<GatewayResponse | undefined> {
  const endpoints = new Map<string, Endpoint>([
    ['/api/v1/answer', answerEndpoint(deps)],
    ['/api/v1/models', modelsEndpoint(deps)],
    ['/api/v1/credits', creditsEndpoint(deps)],
    ['/api/v1/key', keyEndpoint(deps)],
  ]);

  return async (request) => {
    const endpoint = endpoints.get(request.path);
    // Preflights belong to the host's CORS middleware.
    if (endpoint === undefined || request.method === 'OPTIONS') return undefined;
    const call = openCall(deps);
    const { response, reason } = await serve(deps, endpoint, { request, call });
    emitFinished(deps, endpoint, { request, call, status: response.status, reason });
    return request.method === 'HEAD' ? { ...response, body: null } : response;
  };
}

interface OpenCall {
  readonly request: GatewayRequest;
  readonly call: CallRecord;
}

interface Served {
  readonly response: GatewayResponse;
  readonly reason: Reason | null;
}

/** The order of checks: a caller without a valid key never costs more than a look at the headers and one look-up. */
async function serve(deps: HandlerDeps, endpoint: Endpoint, { request, call }: OpenCall): Promise<Served> {
  let isCounted = false;
  try {
    if (!endpoint.methods.includes(request.method))
      throw new RequestError('method_not_allowed', { details: { allow: endpoint.methods } });
    deps.admission.begin();
    isCounted = true;
    endpoint.checkHeaders(request);
    call.apiKey = await deps.authenticate(request);
    // What limits single keys (rates, concurrency) stands here: the caller is known and nothing has been read yet.
    return { response: await endpoint.respond(request, call as AuthenticatedCall), reason: null };
  } catch (error) {
    const { requestId } = call.trace;
    const known = isRequestError(error) ? error : bug(deps, requestId, error);
    return { response: errorResponse(known, requestId, deps.challenge), reason: known.reason };
  } finally {
    if (isCounted) deps.admission.end();
  }
}

function openCall({ clock, newId }: HandlerDeps): CallRecord {
  const requestId = `req_${newId(clock.now())}`;
  return {
    trace: { requestId, model: null, provider: null, cost: null, attempts: 0, upstreamMs: 0 },
    startMs: clock.monotonic(),
    apiKey: null,
    requestedModel: null,
    replay: null,
  };
}

/** Nothing but a `RequestError` is meant to come this far. */
function bug({ logger }: HandlerDeps, requestId: string, error: unknown): RequestError {
  try {
    logger.error({ error, requestId }, 'a request failed for a reason nobody foresaw');
  } catch {
    // A logger that throws has nobody left to tell.
  }
  return new RequestError('internal_error', { cause: error });
}

function emitFinished(
  { events, clock }: HandlerDeps,
  { name }: Endpoint,
  ended: OpenCall & { status: number; reason: Reason | null },
): void {
  const { request, call, status, reason } = ended;
  const { trace, apiKey } = call;
  const gone = request.disconnected;
  events.emit({
    type: 'request_finished',
    atMs: clock.now(),
    requestId: trace.requestId,
    clientRequestId: clientRequestId(request),
    endpoint: name,
    status: gone ? CLIENT_CLOSED_REQUEST : status,
    reason: gone ? 'client_closed_request' : (reason ?? call.replay?.reason ?? null),
    replayed: call.replay !== null,
    keyId: apiKey?.id ?? null,
    organizationId: apiKey?.organizationId ?? null,
    requestedModel: call.requestedModel,
    model: trace.model,
    provider: trace.provider,
    cost: trace.cost,
    attempts: trace.attempts,
    durationMs: clock.monotonic() - call.startMs,
    upstreamMs: trace.upstreamMs,
  });
}

function clientRequestId(request: GatewayRequest): string | null {
  const printable = request
    .header('x-request-id')
    ?.replace(/[^\x20-\x7e]/g, '')
    .slice(0, MAX_CLIENT_REQUEST_ID_CHARACTERS);
  return printable === undefined || printable === '' ? null : printable;
}
