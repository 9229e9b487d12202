import { answerCall, checkIdempotencyKey } from '../request/answer-call.js';
import { isLong, longReplyPieces, replyText } from '../request/answer-reply.js';
import {
  embedFieldsReader,
  extractFieldsReader,
  type FieldsForm,
  type ReadFields,
  rerankFieldsReader,
  searchFieldsReader,
} from '../request/capability-fields.js';
import { cacheHeaders, rateLimitHeaders, readCacheControl, serverTiming } from './answer-headers.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import { type CategoryEndpoint, fieldLimitsOf, inputLimitsOf, type LongInputEndpoint } from './endpoint-options.js';
import { jsonResponse } from './json-response.js';
import { type BodyLimits, FLAT_BODY, type JsonObject, NESTED_BODY } from './parse-json.js';
import { withPerplexityFilters } from './perplexity-filters.js';
import { REPLAYED } from './present-error.js';
import { createBodyReader } from './read-request-body.js';
import { sendInPieces } from './send-in-pieces.js';
import { wireName } from './wire-name.js';

interface CapabilityPath {
  readonly name: Endpoint['name'];
  readonly read: ReadFields;
  /** What a body may have at most. Default: {@link FLAT_BODY}. */
  readonly content?: BodyLimits | undefined;
  /** The longest body, where bodies are long. */
  readonly maxBodyBytes?: number | undefined;
  /** Translates the form of another service into ours. Default: none. @throws RequestError */
  readonly translate?: ((body: JsonObject) => JsonObject) | undefined;
}

interface LongInputPath extends Pick<CapabilityPath, 'content'> {
  readonly name: 'rerank' | 'embeddings';
  readonly reader: (form: FieldsForm) => ReadFields;
}

/** `POST /api/v1/search`. */
export function searchEndpoint(deps: HandlerDeps): Endpoint {
  const form = formOf(deps, deps.endpoints.search);
  return capabilityEndpoint(deps, {
    name: 'search',
    read: searchFieldsReader(form),
    translate: withPerplexityFilters,
  });
}

/** `POST /api/v1/extract`. */
export function extractEndpoint(deps: HandlerDeps): Endpoint {
  return capabilityEndpoint(deps, { name: 'extract', read: extractFieldsReader(formOf(deps, deps.endpoints.extract)) });
}

/** `POST /api/v1/rerank`. */
export function rerankEndpoint(deps: HandlerDeps): Endpoint {
  return longInputEndpoint(deps, { name: 'rerank', reader: rerankFieldsReader, content: NESTED_BODY });
}

/** `POST /api/v1/embeddings`. */
export function embeddingsEndpoint(deps: HandlerDeps): Endpoint {
  return longInputEndpoint(deps, { name: 'embeddings', reader: embedFieldsReader, content: FLAT_BODY });
}

function longInputEndpoint(deps: HandlerDeps, { name, reader, content }: LongInputPath): Endpoint {
  const endpoint = deps.endpoints[name];
  const { maxBodyBytes } = inputLimitsOf(endpoint);
  return capabilityEndpoint(deps, { name, read: reader(formOf(deps, endpoint)), content, maxBodyBytes });
}

/** How the fields of an endpoint are read. */
export function formOf(
  { limits }: HandlerDeps,
  endpoint: CategoryEndpoint | LongInputEndpoint | undefined,
): FieldsForm {
  return { nameOf: wireName, ...fieldLimitsOf(endpoint, limits.maxQueryCharacters) };
}

/** Serves one kind of calls that are no questions: the body is given whole. */
function capabilityEndpoint(
  deps: HandlerDeps,
  { name, read, translate, content = FLAT_BODY, maxBodyBytes }: CapabilityPath,
): Endpoint {
  const { callers, limits, clock } = deps;
  const readBody = createBodyReader(deps, content, maxBodyBytes);

  return {
    name,
    methods: ['POST'],
    maxBodyBytes,
    checkHeaders(request) {
      checkBodyHeaders(request, maxBodyBytes ?? limits.maxBodyBytes);
    },
    async respond(exchange, call) {
      const { request } = exchange;
      // Before anything is read: a flood of calls that a rate refuses must cost the others next to nothing.
      callers.check(call.apiKey, call.trace);
      const idempotencyKey = checkIdempotencyKey(request.header('idempotency-key'));
      const body = await readBody(request, call.apiKey.organizationId);
      const fields = read(translate === undefined ? body : translate(body));
      const isDisconnected = () => request.disconnected;
      const cache = readCacheControl(request.header('cache-control'));
      const reply = await answerCall(deps, call, { fields, idempotencyKey, cache, isDisconnected, listener: null });
      const headers = {
        ...serverTiming(call, clock.monotonic()),
        ...rateLimitHeaders(call),
        ...cacheHeaders(call),
        ...(call.replay === null ? {} : REPLAYED),
      };
      if (isLong(reply)) {
        const response = { requestId: call.trace.requestId, headers, pieces: longReplyPieces(reply) };
        return sendInPieces(response, exchange, deps);
      }
      return jsonResponse(call.trace.requestId, replyText(reply), { status: 200, headers });
    },
  };
}
