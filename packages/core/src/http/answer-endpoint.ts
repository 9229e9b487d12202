import { RequestError } from '../base/errors/request-error.js';
import { andThen } from '../base/options/open-state.js';
import type { AnswerFields } from '../request/answer-fields.js';
import { checkIdempotencyKey, type HandleAnswerInput, handleAnswer, questionFields } from '../request/handle-answer.js';
import type { AuthenticatedCall } from '../request/handle-request-lifecycle.js';
import type { AnswerApi, AskedQuestion } from './answer-api.js';
import { callerHeaders, prefersAsync, readCacheControl, replyHeaders } from './answer-headers.js';
import { AnswerStream } from './answer-stream.js';
import type { Endpoint, HandlerDeps, HttpExchange } from './endpoint.js';
import { ANSWER_PATH } from './endpoint-options.js';
import { eventLoopTick } from './event-loop-tick.js';
import { type GatewayResponse, jsonResponse } from './gateway-request.js';
import { checkBodyHeaders, createBodyReader, type JsonObject, NESTED_BODY } from './read-request-body.js';
import type { AcceptedBody } from './success-bodies.js';

/** Handles POST requests of one answer API. */
export function answerEndpoint(deps: HandlerDeps, api: AnswerApi): Endpoint {
  const { callers, limits, clock, streams, endpoints } = deps;
  const { isQuery = false } = api;
  const hasAsync = api.name === 'answer' && endpoints.asyncAnswers === true;
  const readBody = createBodyReader(deps, NESTED_BODY);
  const turn = eventLoopTick();

  return {
    name: api.name,
    methods: isQuery ? ['GET', 'POST'] : ['POST'],
    presentError: api.presentError,
    errorHeaders: api.errorHeaders,
    keyHeader: api.keyHeader,
    checkHeaders(request) {
      if (!isQuery) checkBodyHeaders(request, limits.maxBodyBytes);
    },
    respond(exchange, state) {
      const { request } = exchange;
      // Before the body is read: a flood of calls over a rate limit must not slow other callers.
      callers.check(state.apiKey, state.context);
      const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
      // Nothing holds the body while the answer streams, so that its memory is free: this function and the next one have returned by then.
      const body = isQuery ? queryFields(request) : readBody(request, state.apiKey.organizationId);
      return andThen(body, (given) => answer(exchange, state, { asked: api.read(given), idempotencyKey }));
    },
  };

  function answer(exchange: HttpExchange, state: AuthenticatedCall, { asked, idempotencyKey }: AskedOnce) {
    const { request, begin } = exchange;
    state.ignoredFields = asked.ignoredFields;
    const cache = readCacheControl(request.header('cache-control'));
    if (hasAsync && prefersAsync(request.header('prefer'))) {
      const { fields: question } = asked as AskedQuestion;
      return respondAsync(deps, { exchange, state }, { fields: question, idempotencyKey, cache });
    }
    const listener =
      'fields' in asked && asked.fields.stream
        ? new AnswerStream({ begin, state, format: asked.format, clock, turn, limits: streams })
        : null;
    exchange.stream = listener;
    const isDisconnected = () => request.disconnected && listener?.hasStarted !== true;
    const fields = 'fields' in asked ? questionFields(asked.fields, listener) : asked.call;
    return handleAnswer(deps, state, { fields, idempotencyKey, cache, isDisconnected }).then((reply) => {
      if (listener !== null) return listener.finish(reply);
      const headers = replyHeaders(state, clock.monotonic());
      return jsonResponse(state.context.requestId, asked.format.body(reply), { status: 200, headers });
    });
  }
}

interface AskedOnce extends Pick<HandleAnswerInput, 'idempotencyKey'> {
  readonly asked: ReturnType<AnswerApi['read']>;
}

function queryFields({ query }: HttpExchange['request']): JsonObject {
  return Object.fromEntries(new URLSearchParams(query));
}

type AsyncRequest = Pick<HandleAnswerInput, 'idempotencyKey' | 'cache'> & { readonly fields: AnswerFields };

/**
 * Sends a 202 once the money is held, then runs the call to its end: the request counts as under way, and keeps its slot, until then.
 *
 * @throws RequestError of a refused call and, after the 202, of a call that failed.
 */
async function respondAsync(
  deps: HandlerDeps,
  { exchange, state }: { readonly exchange: HttpExchange; readonly state: AuthenticatedCall },
  { fields: question, ...asked }: AsyncRequest,
): Promise<GatewayResponse> {
  if (question.stream) {
    const issue = { path: 'stream', message: 'must be false with "Prefer: respond-async"' };
    throw new RequestError('invalid_field', { param: issue.path, details: { issues: [issue] } });
  }
  const { request, begin } = exchange;
  const asyncCall = deps.asyncAnswers.open(state, () => request.disconnected);
  const { isDisconnected } = asyncCall;
  const fields = questionFields(question, null);
  const body = (await handleAnswer(deps, state, { ...asked, fields, isDisconnected, asyncCall })) as string;
  const { id } = JSON.parse(body) as AcceptedBody;
  const headers = {
    // Relative to the path of the question, wherever the gateway is mounted: RFC 9110, section 10.2.2 (2026-11-27).
    location: `${request.path === `${ANSWER_PATH}/` ? '../' : ''}answers/${id}`,
    'preference-applied': 'respond-async',
    ...callerHeaders(state),
  };
  const response = jsonResponse(state.context.requestId, body, { status: 202, headers });
  if (state.replay !== null) return response;
  exchange.stream = {
    hasStarted: true,
    get isAbandoned() {
      return asyncCall.isDisconnected();
    },
    fail: () => response,
  };
  begin(response);
  await asyncCall.waitForEnd();
  return response;
}
