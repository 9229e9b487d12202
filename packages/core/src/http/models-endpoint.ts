import { RequestError } from '../base/errors/request-error.js';
import { tryJson } from '../base/json-counts.js';
import { madeIn } from '../base/made-in.js';
import { nearestNames } from '../base/options/nearest-name.js';
import type { ModelEntry } from '../catalog/model-entry.js';
import { type Endpoint, type HandlerDeps, type ModelsQuery, READ_ONLY } from './endpoint.js';
import { servedPath } from './gateway-request.js';
import type { ModelBody } from './success-bodies.js';
import { createTaggedBody, type TaggedBody, taggedResponse } from './tagged-body.js';
import { wireFields, wireName } from './wire-name.js';
import { parseModelsQuery } from './wire-schemas.js';

/** Below it, `GET` gives one model by its slug. */
export const MODEL_PATHS = '/api/v1/models/';
const MAX_SUGGESTIONS = 3;

/** `GET /api/v1/models/{provider}/{model}`, as clients of OpenAI ask: with the slash as it is, or as `%2F`. */
export function modelEndpoint(deps: HandlerDeps): Endpoint {
  return {
    name: 'models',
    ...READ_ONLY,
    async respond({ request }, { apiKey, context }) {
      const sent = servedPath(request).slice(MODEL_PATHS.length);
      // A malformed part stays as it is: no slug looks like it.
      const slug = tryJson(() => decodeURIComponent(sent)) ?? sent;
      const entries = await entriesOf(deps, {}, apiKey.organizationId);
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
export function modelsEndpoint(deps: HandlerDeps): Endpoint {
  const listings = new WeakMap<readonly ModelEntry[], TaggedBody>();

  return {
    name: 'models',
    ...READ_ONLY,
    async respond({ request }, { apiKey, context }) {
      const entries = await entriesOf(deps, parseModelsQuery(request.query), apiKey.organizationId);
      const text = () => JSON.stringify({ object: 'list', data: entries.map(presentEntry) });
      const listing = madeIn(listings, entries, () => createTaggedBody(text()));
      return taggedResponse(listing, request, context.requestId);
    },
  };
}

/** The same list as before, unless the organization has keys of its own. */
async function entriesOf({ listModels, feesOf }: HandlerDeps, query: ModelsQuery, organizationId: string) {
  const entries = listModels(query, organizationId);
  const fees = await feesOf?.(organizationId);
  if (fees === undefined || fees.size === 0) return entries;
  return entries.map((entry) => {
    const byok = entry.callable ? fees.get(entry.provider) : undefined;
    return byok === undefined ? entry : { ...entry, byok };
  });
}

/** A model as callers see it. */
export function presentEntry(entry: ModelEntry): ModelBody {
  const { id, createdMs, name, category, provider, description, pricing, free, byok, ...facts } = entry;
  const { searchTypes, features, policies, options, maxResults, includedResults, resultStep, ...others } = facts;
  const found = { free, byok, searchTypes, features, policies, options: options?.map(wireName) };
  const { unit, request, perMillionTokens, perMillionInputTokens, perMillionOutputTokens, ...prices } = pricing;
  const ofTokens = {
    per_1m_tokens: perMillionTokens,
    per_1m_input_tokens: perMillionInputTokens,
    per_1m_output_tokens: perMillionOutputTokens,
  };
  return {
    id,
    object: 'model',
    created: createdMs / 1_000,
    owned_by: provider,
    name,
    category,
    provider,
    description,
    pricing: { unit, request, ...ofTokens, ...wireFields(prices) },
    ...wireFields({ ...found, maxResults, includedResults, resultStep, ...others }),
  };
}
