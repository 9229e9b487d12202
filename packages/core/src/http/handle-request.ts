import type { ApiKey } from '../auth/api-key.js';
import { RequestError } from '../base/errors/request-error.js';
import { KIND_LIST } from '../kinds/kinds.js';
import { createRequestLifecycle, type RequestHandler } from '../request/handle-request-lifecycle.js';
import { ANSWERS_PATH, answersEndpoint, creditsEndpoint, keyEndpoint } from './account-endpoints.js';
import { answerEndpoint } from './answer-endpoint.js';
import { dialectApi } from './dialect-api.js';
import type { Endpoint, HandlerDeps, HttpExchange, PublicEndpoint } from './endpoint.js';
import { ANSWER_PATH, extensionsOf } from './endpoint-options.js';
import { extensionEndpoint } from './extension-endpoint.js';
import { type GatewayRequest, type GatewayResponse, servedPath } from './gateway-request.js';
import { checkPathKey, inWordsOfPath, isKeyPath, takePathKey, withKeyOf } from './key-path.js';
import { kindEndpoint } from './kind-endpoint.js';
import { MODEL_PATHS, modelEndpoint, modelsEndpoint } from './models-endpoint.js';
import { OPENAPI_PATH, openApiEndpoint } from './openapi-endpoint.js';
import { inOwnForm } from './other-clients.js';
import { errorResponse } from './present-error.js';
import { usageEndpoint } from './usage-endpoint.js';
import { nativeApi } from './wire-schemas.js';

const MAX_CLIENT_REQUEST_ID_CHARACTERS = 128;

/**
 * Builds the function that serves HTTP requests. It knows the paths, with and without a final slash, and their methods and headers. It never rejects. It resolves
 * to `undefined` for all other paths.
 */
export function createRequestHandler(deps: HandlerDeps) {
  const run = createRequestLifecycle(deps);
  const handlers = new Map<string, HttpRequestHandler<ApiKey | null>>();
  for (const [path, endpoint] of endpointsOf(deps)) handlers.set(path, handlerOf(endpoint, deps));
  const keyPaths = [...handlers.keys()].filter(isKeyPath);
  if (deps.endpoints.openapi === true) handlers.set(OPENAPI_PATH, publicHandlerOf(openApiEndpoint(deps)));

  return (sent: GatewayRequest): Promise<GatewayResponse | undefined> => {
    const own = handlers.get(servedPath(sent)) ?? handlers.get(collectionOf(sent.path));
    const keyed = own === undefined ? takePathKey(sent, keyPaths) : undefined;
    const { request, pathKey } = keyed ?? { request: sent };
    const handler = keyed === undefined ? own : handlers.get(request.path);
    // Preflights belong to the host's CORS middleware.
    if (handler === undefined || request.method === 'OPTIONS') return NOT_OURS;
    const reply = request.follow === undefined ? null : deps.admission.replies.open();
    if (reply !== null) request.follow?.(reply);
    return new Promise((resolve, reject) => {
      const begin = (response: GatewayResponse): void => {
        const last = deps.admission.isDraining ? withClose(response) : response;
        resolve(request.method === 'HEAD' ? { ...last, body: null } : last);
      };
      // The first response is sent: that of a stream that has begun, or the result of the call.
      run(handler, { request, pathKey, reply, begin, stream: null }).then(begin, reject);
    });
  };
}

/** While draining, asks callers to close their connections: keep-alive connections would keep the host's server open. */
function withClose(response: GatewayResponse): GatewayResponse {
  return { ...response, headers: { ...response.headers, connection: 'close' } };
}

const NOT_OURS = Promise.resolve(undefined);

/** The key, in the map of handlers, of a path that ends with an id. Other paths are their own: an empty one would be that of an extension at `/`. */
function collectionOf(path: string): string {
  return [ANSWERS_PATH, MODEL_PATHS].find((prefix) => path.startsWith(prefix) && !path.endsWith('//')) ?? path;
}

function endpointsOf(deps: HandlerDeps): [path: string, endpoint: Endpoint][] {
  const { maxQueryCharacters } = deps.limits;
  const { openapi, usage = false, asyncAnswers = false } = deps.endpoints;
  const own: [string, Endpoint][] = [
    [ANSWER_PATH, answerEndpoint(deps, nativeApi(maxQueryCharacters))],
    ['/api/v1/models', modelsEndpoint(deps)],
    [MODEL_PATHS, modelEndpoint(deps)],
    ['/api/v1/credits', creditsEndpoint(deps)],
    ['/api/v1/key', keyEndpoint(deps)],
  ];
  for (const [name, { category, paths }] of KIND_LIST) {
    if (!deps.paths.has(category)) continue;
    const endpoint = kindEndpoint(deps, name);
    for (const path of paths) own.push([path, endpoint]);
  }
  if (usage) own.push(['/api/v1/usage', usageEndpoint(deps)]);
  if (usage || asyncAnswers) own.push([ANSWERS_PATH, answersEndpoint(deps)]);
  const endpoints = own.map(([path, endpoint]): [string, Endpoint] => [path, inOwnForm(endpoint)]);
  for (const extension of extensionsOf(deps.endpoints)) {
    const endpoint =
      'read' in extension ? answerEndpoint(deps, dialectApi(deps, extension)) : extensionEndpoint(deps, extension);
    endpoints.push([servedPath(extension), endpoint]);
    if ('read' in extension && extension.keyPath !== undefined) endpoints.push([extension.keyPath, endpoint]);
  }
  if (openapi === 'key') endpoints.push([OPENAPI_PATH, openApiEndpoint(deps)]);
  return endpoints;
}

type HttpRequestHandler<Key extends ApiKey | null = ApiKey> = RequestHandler<HttpExchange, GatewayResponse, Key>;

function handlerOf(endpoint: Endpoint, deps: HandlerDeps): HttpRequestHandler {
  const { admission, refusedCalls } = deps;
  const { refuse, ...common } = withoutCaller(endpoint);
  return {
    ...common,
    authenticate({ request, pathKey }) {
      endpoint.checkHeaders(request);
      const key = deps.authenticate(withKeyOf(request, endpoint.keyHeader, pathKey));
      if (key instanceof Promise) request.holdBody?.(endpoint.maxBodyBytes ?? deps.limits.maxBodyBytes);
      return key;
    },
    respond(exchange, state) {
      const { reply } = exchange;
      const { id, organizationId } = state.apiKey;
      if (reply !== null) reply.organizationId = organizationId;
      admission.replies.check(organizationId);
      if (exchange.pathKey !== undefined) checkPathKey(state.apiKey);
      // All others only read.
      if (endpoint.methods.includes('POST')) refusedCalls.check(id);
      return endpoint.respond(exchange, state);
    },
    refuse(error, state, exchange) {
      if (state.apiKey !== null) refusedCalls.count(state.apiKey.id, error);
      return refuse(exchange.pathKey === undefined ? error : inWordsOfPath(error), state, exchange);
    },
  };
}

function publicHandlerOf(endpoint: PublicEndpoint): HttpRequestHandler<null> {
  return {
    ...withoutCaller(endpoint),
    authenticate({ request }) {
      endpoint.checkHeaders(request);
      return null;
    },
    respond: (exchange, state) => endpoint.respond(exchange, state),
  };
}

/** The part of a handler that does not depend on the caller. */
function withoutCaller(endpoint: Omit<Endpoint, 'respond'>): Omit<HttpRequestHandler, 'authenticate' | 'respond'> {
  return {
    name: endpoint.name,
    check({ request: { method } }) {
      if (!endpoint.methods.includes(method))
        throw new RequestError('method_not_allowed', { details: { allow: endpoint.methods } });
    },
    refuse(error, state, { stream }) {
      const response = errorResponse(error, state, endpoint);
      return stream?.fail(response) ?? response;
    },
    statusOf: ({ status }) => status,
    isDisconnected: ({ request, stream }) => (stream?.hasStarted === true ? stream.isAbandoned : request.disconnected),
    clientRequestId,
    replyOf: ({ reply }) => reply,
  };
}

function clientRequestId({ request }: HttpExchange): string | null {
  const printable = request
    .header('x-request-id')
    ?.replace(/[^\x20-\x7e]/g, '')
    .slice(0, MAX_CLIENT_REQUEST_ID_CHARACTERS);
  return printable === undefined || printable === '' ? null : printable;
}
