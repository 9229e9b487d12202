import type { z } from 'zod';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { CATEGORY_PATHS, type CapabilityName, defaultModelOf, type EndpointOptions } from '../endpoint-options.js';
import {
  CAPABILITY_SCHEMAS,
  EMBED_EXAMPLE,
  EXTRACT_EXAMPLE,
  RERANK_EXAMPLE,
  SEARCH_EXAMPLE,
} from '../success-bodies.js';
import { ANSWER_HEADERS, CALLER_HEADERS, PARAMETERS } from './answer-operations.js';
import { refTo } from './json-schemas.js';
import { capabilityRequestSchema } from './request-schemas.js';
import { errorResponses, headersOf, OPERATION_REASONS } from './responses.js';

interface CapabilityDescription {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The name of the schema of the reply. */
  readonly schema: string;
  readonly example: unknown;
}

/** The calls that are no questions. */
const CAPABILITIES: Readonly<Record<CapabilityName, CapabilityDescription>> = {
  search: {
    path: CATEGORY_PATHS.search,
    operationId: 'search',
    summary: 'Find pages',
    description: 'Finds pages for a query. A search without results is a success with an empty list.',
    schema: 'Search',
    example: SEARCH_EXAMPLE,
  },
  extract: {
    path: CATEGORY_PATHS.extract,
    operationId: 'extract',
    summary: 'Read pages',
    description: 'Reads the text of pages. Pages that cannot be read are named in `failed`.',
    schema: 'Extract',
    example: EXTRACT_EXAMPLE,
  },
  rerank: {
    path: CATEGORY_PATHS.rerank,
    operationId: 'rerank',
    summary: 'Sort documents',
    description:
      "Sorts documents by their relevance to a query, in the form of Cohere's API. The same at `/api/v2/rerank`.",
    schema: 'Rerank',
    example: RERANK_EXAMPLE,
  },
  embeddings: {
    path: CATEGORY_PATHS.embedding,
    operationId: 'createEmbedding',
    summary: 'Make vectors',
    description:
      "Makes the vectors of texts, in the form of OpenAI's API. No other model steps in for an embedding model.",
    schema: 'Embeddings',
    example: EMBED_EXAMPLE,
  },
};

interface CapabilityParts {
  readonly paths: Readonly<Record<string, JsonSchema>>;
  readonly requestSchemas: Readonly<Record<string, JsonSchema>>;
  readonly replySchemas: Readonly<Record<string, z.ZodType>>;
}

/** The parts of the document for the calls that are no questions. A path that the host has taken is left out. */
export function capabilityParts(endpoints: EndpointOptions, maxQueryCharacters: number): CapabilityParts {
  const served = (Object.keys(CAPABILITIES) as CapabilityName[]).filter((name) => endpoints[name] !== false);
  return {
    paths: Object.fromEntries(served.map((name) => [CAPABILITIES[name].path, { post: operationOf(name) }])),
    requestSchemas: Object.fromEntries(
      served.map((name) => {
        const form = { maxQueryCharacters, hasDefault: defaultModelOf(endpoints[name]) !== undefined };
        return [`${CAPABILITIES[name].schema}Request`, capabilityRequestSchema(name, form)];
      }),
    ),
    replySchemas: Object.assign({}, ...served.map((name) => CAPABILITY_SCHEMAS[name])) as Record<string, z.ZodType>,
  };
}

function operationOf(name: CapabilityName): JsonSchema {
  const { path: _path, schema, example, ...about } = CAPABILITIES[name];
  return {
    ...about,
    tags: ['Answers'],
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: refTo('schemas', `${schema}Request`) } },
    },
    responses: {
      200: {
        description: about.summary,
        headers: headersOf(ANSWER_HEADERS.filter((header) => header !== 'X-Accel-Buffering')),
        content: { 'application/json': { schema: refTo('schemas', schema), example } },
      },
      ...errorResponses(OPERATION_REASONS[name], CALLER_HEADERS),
    },
  };
}
