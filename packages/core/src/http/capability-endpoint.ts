import { answerCall, checkIdempotencyKey } from '../request/answer-call.js';
import { replyText } from '../request/answer-reply.js';
import {
  extractFieldsReader,
  type FieldsForm,
  type ReadFields,
  searchFieldsReader,
} from '../request/capability-fields.js';
import { cacheHeaders, rateLimitHeaders, readCacheControl, serverTiming } from './answer-headers.js';
import { checkBodyHeaders } from './check-body-headers.js';
import type { Endpoint, HandlerDeps } from './endpoint.js';
import { type CategoryEndpoint, defaultModelOf } from './endpoint-options.js';
import { jsonResponse } from './json-response.js';
import type { JsonObject } from './parse-json.js';
import { withPerplexityFilters } from './perplexity-filters.js';
import { REPLAYED } from './present-error.js';
import { createBodyReader } from './read-request-body.js';
import { wireName } from './wire-name.js';

interface CapabilityPath {
  readonly name: Endpoint['name'];
  readonly read: ReadFields;
  /** Translates the form of another service into ours. Default: none. @throws RequestError */
  readonly translate?: ((body: JsonObject) => JsonObject) | undefined;
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

function formOf({ limits }: HandlerDeps, endpoint: CategoryEndpoint | undefined): FieldsForm {
  const { maxQueryCharacters } = limits;
  return { nameOf: wireName, maxQueryCharacters, defaultModel: defaultModelOf(endpoint) };
}

/** Serves one kind of calls that are no questions: the body is given whole. */
function capabilityEndpoint(deps: HandlerDeps, { name, read, translate }: CapabilityPath): Endpoint {
  const { callers, limits, clock } = deps;
  const readBody = createBodyReader(deps);

  return {
    name,
    methods: ['POST'],
    checkHeaders(request) {
      checkBodyHeaders(request, limits.maxBodyBytes);
    },
    async respond({ request }, call) {
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
      return jsonResponse(call.trace.requestId, replyText(reply), { status: 200, headers });
    },
  };
}
