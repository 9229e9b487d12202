import { answerCall, checkIdempotencyKey } from '../calls/answer-call.js';
import { replyText } from '../calls/answer-reply.js';
import { createTurns } from '../time/turns.js';
import { AnswerStream } from './answer-stream.js';
import { cacheHeaders, readCacheControl } from './cache-headers.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import type { GatewayRequest, RequestBody } from './gateway-request.js';
import { jsonResponse } from './json-response.js';
import { parseJsonObject } from './parse-json.js';
import { REPLAYED } from './present-error.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { serverTiming } from './server-timing.js';
import { answerFieldsParser } from './wire-schemas.js';

/** `POST /api/v1/answer`. */
export function answerEndpoint(deps: HandlerDeps): Endpoint {
  const { admission, callers, limits, clock, streams } = deps;
  const { maxBodyBytes, bodyTimeoutMs, maxQueryCharacters } = limits;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parseFields = answerFieldsParser(maxQueryCharacters);

  function readBody(request: GatewayRequest, organizationId: string): Promise<RequestBody> {
    return request.bodyHasArrived === true ? request.readBody(bodyLimits) : awaitBody(request, organizationId);
  }

  /** A body that is still to come can keep its place for as long as its sender likes; one that is here takes none. */
  async function awaitBody(request: GatewayRequest, organizationId: string): Promise<RequestBody> {
    admission.bodyReads.take(organizationId);
    try {
      return await request.readBody(bodyLimits);
    } finally {
      admission.bodyReads.free(organizationId);
    }
  }

  const turn = createTurns();

  return {
    name: 'answer',
    methods: ['POST'],
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes);
    },
    async respond(exchange, call) {
      const { request } = exchange;
      // Before anything is read: a flood of calls that a rate refuses must cost the others next to nothing.
      callers.check(call.apiKey, call.trace);
      const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
      // In no variable, which would keep the body for as long as the answer comes.
      const fields = parseFields(parseJsonObject(await readBody(request, call.apiKey.organizationId)));
      if (fields.stream)
        exchange.stream = new AnswerStream({ begin: exchange.begin, call, clock, turn, limits: streams });
      const listener = exchange.stream;
      const isDisconnected = () => request.disconnected && listener?.hasStarted !== true;
      const cache = readCacheControl(request.header('cache-control'));
      const reply = await answerCall(deps, call, { fields, idempotencyKey, cache, isDisconnected, listener });
      if (listener !== null) return listener.finish(replyText(reply));
      const headers = { ...serverTiming(call, clock.monotonic()), ...rateLimitHeaders(call), ...cacheHeaders(call) };
      if (call.replay !== null) Object.assign(headers, REPLAYED);
      return jsonResponse(call.trace.requestId, replyText(reply), { status: 200, headers });
    },
  };
}
