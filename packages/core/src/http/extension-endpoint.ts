import { answerCall, checkIdempotencyKey } from '../calls/answer-call.js';
import { replyValue } from '../calls/answer-reply.js';
import type { AuthenticatedCall } from '../calls/run-call.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import type { Extension, ExtensionCalls } from './extension.js';
import type { GatewayRequest } from './gateway-request.js';
import { commonHeaders, jsonResponse } from './json-response.js';
import { presentEntry } from './models-endpoint.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { createBodyReader } from './read-request-body.js';
import { answerFieldsParser } from './wire-schemas.js';

/** Serves the path of an extension. */
export function extensionEndpoint(deps: HandlerDeps, extension: Extension): Endpoint {
  const readBody = createBodyReader(deps);
  const readFields = answerFieldsParser(deps.limits.maxQueryCharacters);

  function callsOf(request: GatewayRequest, call: AuthenticatedCall): ExtensionCalls {
    const { apiKey } = call;
    let hasAsked = false;
    return {
      async answer(given) {
        if (hasAsked) throw new Error('an extension has asked twice for one request');
        hasAsked = true;
        deps.callers.check(apiKey, call.trace);
        const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
        const fields = { ...readFields(given), stream: false };
        const isDisconnected = () => request.disconnected;
        const cache = undefined;
        return replyValue(
          await answerCall(deps, call, { fields, idempotencyKey, cache, isDisconnected, listener: null }),
        );
      },
      answerModels() {
        const { allowedModels, organizationId } = apiKey;
        const entries = deps.listModels('answer', organizationId);
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
      const headers = { ...rateLimitHeaders(call), ...response.headers };
      if (response.body !== null) return jsonResponse(requestId, response.body, { status: response.status, headers });
      return { status: response.status, headers: { ...commonHeaders(requestId), ...headers }, body: null };
    },
  };
}
