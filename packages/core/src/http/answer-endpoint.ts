import { answerCall, checkIdempotencyKey } from '../calls/answer-call.js';
import { replyText } from '../calls/answer-reply.js';
import { AnswerStream } from './answer-stream.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import type { GatewayRequest, RequestBody } from './gateway-request.js';
import { jsonResponse } from './json-response.js';
import { parseJsonObject } from './parse-json.js';
import { REPLAYED } from './present-error.js';
import { serverTiming } from './server-timing.js';
import { answerFieldsParser } from './wire-schemas.js';

/** `POST /api/v1/answer`. */
export function answerEndpoint(deps: HandlerDeps): Endpoint {
  const { admission, limits, clock, streams } = deps;
  const { maxBodyBytes, bodyTimeoutMs, maxQueryCharacters } = limits;
  const bodyLimits = { maxBodyBytes, bodyTimeoutMs, clock };
  const parseFields = answerFieldsParser(maxQueryCharacters);

  /** A body that is still to come can keep its place for as long as its sender likes; one that is here takes none. */
  async function awaitBody(request: GatewayRequest, organizationId: string): Promise<RequestBody> {
    admission.bodyReads.take(organizationId);
    try {
      return await request.readBody(bodyLimits);
    } finally {
      admission.bodyReads.free(organizationId);
    }
  }

  return {
    name: 'answer',
    methods: ['POST'],
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes);
    },
    async respond(exchange, call) {
      const { request } = exchange;
      const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
      const hasArrived = request.bodyHasArrived === true;
      const body = await (hasArrived ? request.readBody(bodyLimits) : awaitBody(request, call.apiKey.organizationId));
      const fields = parseFields(parseJsonObject(body));
      if (fields.stream) exchange.stream = new AnswerStream({ begin: exchange.begin, call, clock, limits: streams });
      const listener = exchange.stream;
      const isDisconnected = () => request.disconnected && listener?.hasStarted !== true;
      const reply = await answerCall(deps, call, { fields, idempotencyKey, isDisconnected, listener });
      if (listener !== null) return listener.finish(replyText(reply));
      const headers = serverTiming(call, clock.monotonic());
      if (call.replay !== null) Object.assign(headers, REPLAYED);
      return jsonResponse(call.trace.requestId, replyText(reply), { status: 200, headers });
    },
  };
}
