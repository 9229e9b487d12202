import { isRequestError } from '../base/errors/request-error.js';
import { bodyOf } from '../request/answer-reply.js';
import { checkIdempotencyKey, handleAnswer } from '../request/handle-answer.js';
import type { AuthenticatedCall } from '../request/handle-request-lifecycle.js';
import { callerHeaders } from './answer-headers.js';
import type { Endpoint, HandlerDeps, HttpExchange } from './endpoint.js';
import { eventLoopTick } from './event-loop-tick.js';
import { EventsBody, type EventsBodyOptions } from './events-body.js';
import type { CallBodies, CallResult, Extension, ExtensionCalls, ExtensionResponse, SendEvents } from './extension.js';
import { commonHeaders, type GatewayResponse, jsonResponse } from './gateway-request.js';
import { callReaders } from './kind-endpoint.js';
import { presentEntry } from './models-endpoint.js';
import { presentRefusal } from './present-error.js';
import { checkBodyHeaders, createBodyReader, type JsonObject, NESTED_BODY } from './read-request-body.js';

/** Serves the path of an extension. */
export function extensionEndpoint(deps: HandlerDeps, extension: Extension): Endpoint {
  const { clock, limits } = deps;
  const readBody = createBodyReader(deps, NESTED_BODY);
  const streaming = { clock, turn: eventLoopTick(), limits: deps.streams };
  const readers = callReaders(deps);

  async function run(category: keyof CallBodies, given: JsonObject, { exchange, state }: Asking): Promise<object> {
    const { request } = exchange;
    deps.callers.check(state.apiKey, state.context);
    const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
    const fields = readers[category](given);
    const isDisconnected = () => exchange.stream?.isAbandoned ?? request.disconnected;
    const asked = { fields, idempotencyKey, cache: undefined, isDisconnected };
    return bodyOf(await handleAnswer(deps, state, asked));
  }

  function callsOf(asking: Asking): ExtensionCalls {
    const { state } = asking;
    const { allowedModels, organizationId } = state.apiKey;
    let hasAsked = false;
    return {
      async call<C extends keyof CallBodies>(category: C, given: JsonObject): Promise<CallResult<CallBodies[C]>> {
        if (hasAsked) throw new Error('an extension has asked twice for one request');
        hasAsked = true;
        try {
          return { body: (await run(category, given, asking)) as CallBodies[C], refusal: null };
        } catch (error) {
          if (!isRequestError(error)) throw error;
          state.refusal = error.reason;
          // It is sent as a success.
          deps.refusedCalls.count(state.apiKey.id, error);
          return { body: null, refusal: presentRefusal(error, state) };
        }
      },
      refused: () => deps.refusedCalls.count(state.apiKey.id),
      models(category) {
        const entries = deps.listModels({ category, callable: true }, organizationId);
        return entries.filter(({ id }) => allowedModels === null || allowedModels.includes(id)).map(presentEntry);
      },
    };
  }

  return {
    name: extension.name,
    methods: ['POST'],
    presentError: extension.presentError,
    checkHeaders(request) {
      extension.checkHeaders?.((name) => request.header(name));
      checkBodyHeaders(request, limits.maxBodyBytes);
    },
    async respond(exchange, state) {
      const { request } = exchange;
      const asking = { exchange, state };
      const body = await readBody(request, state.apiKey.organizationId);
      const header = (name: string) => request.header(name);
      const response = await extension.respond({ body, header, clock }, callsOf(asking));
      if (typeof response.body === 'function')
        return stream(response.body, response.headers, { ...asking, ...streaming });
      const { requestId } = state.context;
      const headers = { ...callerHeaders(state), ...response.headers };
      if (response.body !== null) return jsonResponse(requestId, response.body, { status: response.status, headers });
      return { status: response.status, headers: { ...commonHeaders(requestId), ...headers }, body: null };
    },
  };
}

/** The request for which an extension asks. */
interface Asking {
  readonly exchange: HttpExchange;
  readonly state: AuthenticatedCall;
}

/** Begins the response before the call has ended, so without the headers that tell its outcome. */
async function stream(
  sendEvents: SendEvents,
  headers: ExtensionResponse['headers'],
  { exchange, state, ...streaming }: Asking & Omit<EventsBodyOptions, 'begin'>,
): Promise<GatewayResponse> {
  const body = new EventsBody({ begin: exchange.begin, ...streaming });
  exchange.stream = body;
  const response = body.start(state.context.requestId, headers);
  await sendEvents((events) => body.send(events));
  body.end();
  return response;
}
