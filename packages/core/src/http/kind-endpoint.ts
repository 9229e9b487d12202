import type { FieldsForm } from '../kinds/kind.js';
import { KINDS, type KindName } from '../kinds/kinds.js';
import { isLong, longReplyPieces, replyText } from '../request/answer-reply.js';
import { type CallFields, checkIdempotencyKey, handleAnswer, questionFields } from '../request/handle-answer.js';
import { kindFieldsReader } from '../request/kind-fields.js';
import { readCacheControl, replyHeaders } from './answer-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import { fieldLimitsOf, inputLimitsOf } from './endpoint-options.js';
import type { CallBodies } from './extension.js';
import { jsonResponse } from './gateway-request.js';
import { checkBodyHeaders, createBodyReader, FLAT_BODY, type JsonObject, NESTED_BODY } from './read-request-body.js';
import { sendInPieces } from './send-in-pieces.js';
import { wireName } from './wire-name.js';
import { answerFieldsParser } from './wire-schemas.js';

/** How the fields of a kind are read. */
function formOf({ limits, endpoints }: HandlerDeps, name: KindName): FieldsForm {
  return { nameOf: wireName, ...fieldLimitsOf(endpoints[name], limits.maxQueryCharacters) };
}

/** Read the fields of calls that other forms translate into ours. @returns by category, functions that throw RequestError. */
export function callReaders(deps: HandlerDeps): Readonly<Record<keyof CallBodies, (given: JsonObject) => CallFields>> {
  const readQuestion = answerFieldsParser(deps.limits.maxQueryCharacters);
  return {
    answer: (given) => questionFields(readQuestion(given), null),
    search: kindFieldsReader(KINDS.search, formOf(deps, 'search')),
    extract: kindFieldsReader(KINDS.extract, formOf(deps, 'extract')),
  };
}

/** Serves one kind of calls: the body is given whole. */
export function kindEndpoint(deps: HandlerDeps, name: KindName): Endpoint {
  const { callers, limits, clock, endpoints } = deps;
  const kind = KINDS[name];
  const maxBodyBytes = kind.request.isLong ? inputLimitsOf(endpoints[name]).maxBodyBytes : undefined;
  const readBody = createBodyReader(deps, kind.request.isNested ? NESTED_BODY : FLAT_BODY, maxBodyBytes);
  const readFields = kindFieldsReader(kind, formOf(deps, name));
  const { translate = (body) => body } = kind.request;

  return {
    name,
    methods: ['POST'],
    maxBodyBytes,
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes ?? limits.maxBodyBytes);
    },
    async respond(exchange, state) {
      const { request } = exchange;
      // Before anything is read: a flood of calls that a rate refuses must cost the others next to nothing.
      callers.check(state.apiKey, state.context);
      const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
      const body = await readBody(request, state.apiKey.organizationId);
      const fields = readFields(translate(body));
      const isDisconnected = () => request.disconnected;
      const cache = readCacheControl(request.header('cache-control'));
      const reply = await handleAnswer(deps, state, { fields, idempotencyKey, cache, isDisconnected });
      const headers = replyHeaders(state, clock.monotonic());
      if (isLong(reply)) {
        const response = { requestId: state.context.requestId, headers, pieces: longReplyPieces(reply) };
        return sendInPieces(response, exchange, deps);
      }
      return jsonResponse(state.context.requestId, replyText(reply), { status: 200, headers });
    },
  };
}
