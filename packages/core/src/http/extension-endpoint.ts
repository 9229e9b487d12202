import { isRequestError } from '../base/errors/request-error.js';
import { answerCall, checkIdempotencyKey } from '../request/answer-call.js';
import { type AnswerReply, replyValue } from '../request/answer-reply.js';
import type { AuthenticatedCall } from '../request/handle-request-lifecycle.js';
import { rateLimitHeaders } from './answer-headers.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import type { Extension, ExtensionCalls } from './extension.js';
import type { GatewayRequest } from './gateway-request.js';
import { commonHeaders, jsonResponse } from './json-response.js';
import { presentEntry } from './models-endpoint.js';
import type { JsonObject } from './parse-json.js';
import { presentRefusal, REPLAYED } from './present-error.js';
import { createBodyReader } from './read-request-body.js';
import { answerFieldsParser } from './wire-schemas.js';

/** Serves the path of an extension. */
export function extensionEndpoint(deps: HandlerDeps, extension: Extension): Endpoint {
  const readBody = createBodyReader(deps);
  const readFields = answerFieldsParser(deps.limits.maxQueryCharacters);

  function ask(given: JsonObject, request: GatewayRequest, call: AuthenticatedCall): Promise<AnswerReply> {
    deps.callers.check(call.apiKey, call.trace);
    const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
    const fields = { ...readFields(given), stream: false };
    const isDisconnected = () => request.disconnected;
    return answerCall(deps, call, { fields, idempotencyKey, cache: undefined, isDisconnected, listener: null });
  }

  function callsOf(request: GatewayRequest, call: AuthenticatedCall): ExtensionCalls {
    const { allowedModels, organizationId } = call.apiKey;
    let hasAsked = false;
    return {
      async answer(given) {
        if (hasAsked) throw new Error('an extension has asked twice for one request');
        hasAsked = true;
        try {
          return { answer: replyValue(await ask(given, request, call)), refusal: null };
        } catch (error) {
          if (!isRequestError(error)) throw error;
          call.refusal = error.reason;
          return { answer: null, refusal: presentRefusal(error, call) };
        }
      },
      answerModels() {
        const entries = deps.listModels({ category: 'answer' }, organizationId);
        return entries.filter(({ id }) => allowedModels === null || allowedModels.includes(id)).map(presentEntry);
      },
    };
  }

  return {
    name: extension.name,
    methods: ['POST'],
    presentError: extension.presentError,
    checkHeaders(request) {
      checkBodyHeaders(request, deps.limits.maxBodyBytes);
    },
    async respond({ request }, call) {
      const body = await readBody(request, call.apiKey.organizationId);
      const header = (name: string) => request.header(name);
      const response = await extension.respond({ body, header }, callsOf(request, call));
      const { requestId } = call.trace;
      const headers = { ...rateLimitHeaders(call), ...(call.replay === null ? {} : REPLAYED), ...response.headers };
      if (response.body !== null) return jsonResponse(requestId, response.body, { status: response.status, headers });
      return { status: response.status, headers: { ...commonHeaders(requestId), ...headers }, body: null };
    },
  };
}
