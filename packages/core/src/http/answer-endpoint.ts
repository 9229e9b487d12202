import { RequestError } from '../base/errors/request-error.js';
import { type AnswerCallInput, answerCall, checkIdempotencyKey } from '../request/answer-call.js';
import type { AnswerFields } from '../request/answer-fields.js';
import type { AuthenticatedCall } from '../request/handle-request-lifecycle.js';
import type { AnswerApi } from './answer-api.js';
import { cacheHeaders, prefersAsync, rateLimitHeaders, readCacheControl, serverTiming } from './answer-headers.js';
import { AnswerStream } from './answer-stream.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps, HttpExchange } from './endpoint.js';
import type { GatewayResponse } from './gateway-request.js';
import { jsonResponse } from './json-response.js';
import { NESTED_BODY } from './parse-json.js';
import { REPLAYED } from './present-error.js';
import { createBodyReader } from './read-request-body.js';
import type { AcceptedBody } from './success-bodies.js';
import { createTurns } from './turns.js';

/** Handles POST requests of one answer API. */
export function answerEndpoint(deps: HandlerDeps, api: AnswerApi): Endpoint {
  const { callers, limits, clock, streams, endpoints } = deps;
  const hasAsync = api.name === 'answer' && endpoints.asyncAnswers === true;
  const readBody = createBodyReader(deps, NESTED_BODY);
  const turn = createTurns();

  return {
    name: api.name,
    methods: ['POST'],
    presentError: api.presentError,
    errorHeaders: api.errorHeaders,
    checkHeaders(request) {
      checkBodyHeaders(request, limits.maxBodyBytes);
    },
    async respond(exchange, call) {
      const { request, begin } = exchange;
      // Before the body is read: a flood of calls over a rate limit must not slow other callers.
      callers.check(call.apiKey, call.trace);
      const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
      // No variable holds the body, so that its memory is free while the answer streams.
      const { fields, format, ignoredFields } = api.read(await readBody(request, call.apiKey.organizationId));
      call.ignoredFields = ignoredFields;
      const cache = readCacheControl(request.header('cache-control'));
      if (hasAsync && prefersAsync(request.header('prefer')))
        return respondAsync(deps, { exchange, call }, { fields, idempotencyKey, cache });
      const listener = fields.stream ? new AnswerStream({ begin, call, format, clock, turn, limits: streams }) : null;
      exchange.stream = listener;
      const isDisconnected = () => request.disconnected && listener?.hasStarted !== true;
      const reply = await answerCall(deps, call, { fields, idempotencyKey, cache, isDisconnected, listener });
      if (listener !== null) return listener.finish(reply);
      const headers = serverTiming(call, clock.monotonic());
      if (call.trace.rates !== null) Object.assign(headers, rateLimitHeaders(call));
      if (call.trace.cache !== null) Object.assign(headers, cacheHeaders(call));
      if (call.replay !== null) Object.assign(headers, REPLAYED);
      return jsonResponse(call.trace.requestId, format.body(reply), { status: 200, headers });
    },
  };
}

type AsyncRequest = Pick<AnswerCallInput, 'idempotencyKey' | 'cache'> & { readonly fields: AnswerFields };

/**
 * Sends a 202 once the money is held, then runs the call to its end: the request counts as under way, and keeps its slot, until then.
 *
 * @throws RequestError of a refused call and, after the 202, of a call that failed.
 */
async function respondAsync(
  deps: HandlerDeps,
  { exchange, call }: { readonly exchange: HttpExchange; readonly call: AuthenticatedCall },
  { fields, ...asked }: AsyncRequest,
): Promise<GatewayResponse> {
  if (fields.stream) {
    const issue = { path: 'stream', message: 'must be false with "Prefer: respond-async"' };
    throw new RequestError('invalid_field', { param: issue.path, details: { issues: [issue] } });
  }
  const { request, begin } = exchange;
  const async = deps.asyncAnswers.open(call, () => request.disconnected);
  const { isDisconnected } = async;
  const body = (await answerCall(deps, call, { ...asked, fields, isDisconnected, listener: null, async })) as string;
  const { id } = JSON.parse(body) as AcceptedBody;
  const headers = {
    // Relative to the path of the question, wherever the gateway is mounted: RFC 9110, section 10.2.2 (2026-11-27).
    location: `answers/${id}`,
    'preference-applied': 'respond-async',
    ...rateLimitHeaders(call),
    ...(call.replay === null ? {} : REPLAYED),
  };
  const response = jsonResponse(call.trace.requestId, body, { status: 202, headers });
  if (call.replay !== null) return response;
  exchange.stream = {
    hasStarted: true,
    get isAbandoned() {
      return async.isDisconnected();
    },
    fail: () => response,
  };
  begin(response);
  await async.finish();
  return response;
}
