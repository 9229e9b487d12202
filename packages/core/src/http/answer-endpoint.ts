import { answerCall, checkIdempotencyKey } from '../request/answer-call.js';
import type { AnswerApi } from './answer-api.js';
import { cacheHeaders, rateLimitHeaders, readCacheControl, serverTiming } from './answer-headers.js';
import { AnswerStream } from './answer-stream.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import { jsonResponse } from './json-response.js';
import { REPLAYED } from './present-error.js';
import { createBodyReader } from './read-request-body.js';
import { createTurns } from './turns.js';

/** Handles POST requests of one answer API. */
export function answerEndpoint(deps: HandlerDeps, api: AnswerApi): Endpoint {
  const { callers, limits, clock, streams } = deps;
  const readBody = createBodyReader(deps);
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
      const { fields, format } = api.read(await readBody(request, call.apiKey.organizationId));
      const listener = fields.stream ? new AnswerStream({ begin, call, format, clock, turn, limits: streams }) : null;
      exchange.stream = listener;
      const isDisconnected = () => request.disconnected && listener?.hasStarted !== true;
      const cache = readCacheControl(request.header('cache-control'));
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
