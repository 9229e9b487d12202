import { RequestError } from '../base/errors/request-error.js';
import { tryJson } from '../base/json-counts.js';
import { nearestNames } from '../base/options/nearest-name.js';
import type { ModelEntry } from '../catalog/model-entry.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { servedPath } from './gateway-request.js';
import type { ModelBody } from './success-bodies.js';
import { createTaggedBody, type TaggedBody, taggedResponse } from './tagged-body.js';
import { wireName } from './wire-name.js';
import { parseModelsQuery } from './wire-schemas.js';

/** Below it, `GET` gives one model by its slug. */
export const MODEL_PATHS = '/api/v1/models/';
const MAX_SUGGESTIONS = 3;

/** `GET /api/v1/models/{provider}/{model}`, as clients of OpenAI ask: with the slash as it is, or as `%2F`. */
export function modelEndpoint({ listModels }: HandlerDeps): Endpoint {
  return {
    name: 'models',
    ...READ_ONLY,
    respond({ request }, { apiKey, context }) {
      const sent = servedPath(request).slice(MODEL_PATHS.length);
      // A malformed part stays as it is: no slug looks like it.
      const slug = tryJson(() => decodeURIComponent(sent)) ?? sent;
      const entries = listModels({}, apiKey.organizationId);
      const entry = entries.find(({ id }) => id === slug);
      if (entry === undefined) {
        const known = entries.map(({ id }) => id);
        const details = { suggestions: nearestNames(slug, known, MAX_SUGGESTIONS) };
        throw new RequestError('model_not_found', { details });
      }
      return taggedResponse(createTaggedBody(JSON.stringify(presentEntry(entry))), request, context.requestId);
    },
  };
}

/** `GET /api/v1/models`. The text of a list is cached for as long as the catalog returns the same list. */
export function modelsEndpoint({ listModels }: HandlerDeps): Endpoint {
  const listings = new WeakMap<readonly ModelEntry[], TaggedBody>();

  function listingOf(entries: readonly ModelEntry[]): TaggedBody {
    const known = listings.get(entries);
    if (known !== undefined) return known;
    const listing = createTaggedBody(JSON.stringify({ object: 'list', data: entries.map(presentEntry) }));
    listings.set(entries, listing);
    return listing;
  }

  return {
    name: 'models',
    ...READ_ONLY,
    respond({ request }, { apiKey, context }) {
      const query = parseModelsQuery(request.query);
      return taggedResponse(listingOf(listModels(query, apiKey.organizationId)), request, context.requestId);
    },
  };
}

/** A model as callers see it. */
export function presentEntry(entry: ModelEntry): ModelBody {
  const { request, perMillionTokens, perMillionInputTokens, perMillionOutputTokens, perSearch, unit } = entry.pricing;
  const { perResult, perPage, perSearchUnit } = entry.pricing;
  return {
    id: entry.id,
    object: 'model',
    created: entry.createdMs / 1_000,
    owned_by: entry.provider,
    name: entry.name,
    category: entry.category,
    provider: entry.provider,
    description: entry.description,
    pricing: {
      unit,
      request,
      per_1m_tokens: perMillionTokens,
      per_1m_input_tokens: perMillionInputTokens,
      per_1m_output_tokens: perMillionOutputTokens,
      per_search: perSearch,
      per_result: perResult,
      per_page: perPage,
      per_search_unit: perSearchUnit,
    },
    ...(entry.free && { free: true }),
    search_types: entry.searchTypes,
    features: entry.features,
    policies: entry.policies,
    ...(entry.options === undefined ? {} : { options: entry.options.map(wireName) }),
    max_results: entry.maxResults,
    included_results: entry.includedResults,
    result_step: entry.resultStep,
    dimensions: entry.dimensions,
    max_input_tokens: entry.maxInputTokens,
    context_length: entry.contextLength,
    retires_on: entry.retiresOn,
    replacement: entry.replacement,
    callable: entry.callable,
  };
}
