import { createHash } from 'node:crypto';
import type { ModelEntry } from '../catalog/model-entry.js';
import { type Endpoint, type HandlerDeps, READ_ONLY } from './endpoint.js';
import { commonHeaders, JSON_UTF8 } from './json-response.js';
import type { ModelBody } from './success-bodies.js';
import { wireName } from './wire-name.js';
import { parseModelsQuery } from './wire-schemas.js';

const CACHE_CONTROL = 'private, max-age=60';

/** `GET /api/v1/models`. The text of each list is made once and kept for as long as the catalog hands out the same list. */
export function modelsEndpoint({ listModels }: HandlerDeps): Endpoint {
  const listings = new WeakMap<readonly ModelEntry[], Listing>();

  function listingOf(entries: readonly ModelEntry[]): Listing {
    const known = listings.get(entries);
    if (known !== undefined) return known;
    const listing = createListing(entries);
    listings.set(entries, listing);
    return listing;
  }

  return {
    name: 'models',
    ...READ_ONLY,
    respond({ request }, { apiKey, trace }) {
      const category = parseModelsQuery(request.query);
      const { body, etag, contentLength } = listingOf(listModels(category, apiKey.organizationId));
      const headers = { etag, 'cache-control': CACHE_CONTROL, ...commonHeaders(trace.requestId) };
      if (matches(request.header('if-none-match'), etag)) return { status: 304, headers, body: null };
      return { status: 200, headers: { 'content-type': JSON_UTF8, 'content-length': contentLength, ...headers }, body };
    },
  };
}

interface Listing {
  readonly body: Buffer;
  readonly contentLength: string;
  /** Strong: two bodies with the same tag are the same bytes. */
  readonly etag: string;
}

function createListing(entries: readonly ModelEntry[]): Listing {
  const body = Buffer.from(JSON.stringify({ data: entries.map(presentEntry) }));
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return { body, contentLength: String(body.byteLength), etag };
}

/** Compares weakly, as RFC 9110 §13.1.2 asks of `If-None-Match`: what a compressing proxy made weak still matches. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags: readonly string[] = ifNoneMatch.match(/"[^"]*"/g) ?? [];
  return ifNoneMatch.trim() === '*' || tags.includes(etag);
}

/** A model as callers see it. */
export function presentEntry(entry: ModelEntry): ModelBody {
  const { request, perMillionTokens, perMillionInputTokens, perMillionOutputTokens, perSearch, unit } = entry.pricing;
  return {
    id: entry.id,
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
    },
    search_types: entry.searchTypes,
    features: entry.features,
    ...(entry.options === undefined ? {} : { options: entry.options.map(wireName) }),
    max_results: entry.maxResults,
    dimensions: entry.dimensions,
    max_input_tokens: entry.maxInputTokens,
    context_length: entry.contextLength,
  };
}
