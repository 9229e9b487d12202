import type { Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { CATEGORIES } from '../../catalog/model-entry.js';
import { MAX_QUERY_CHARACTERS } from '../../kinds/fields.js';
import { KIND_LIST } from '../../kinds/kinds.js';
import type { DescribedQuestion } from '../dialect.js';
import { ANSWER_PATH, type EndpointOptions, extensionsOf } from '../endpoint-options.js';
import { METADATA_SCHEMAS } from '../error-envelope.js';
import { ASYNC_SCHEMAS, SUCCESS_SCHEMAS, USAGE_SCHEMAS } from '../success-bodies.js';
import { USAGE_BY } from '../usage-query.js';
import { answerOperation, dialectPaths, eventSchemas } from './answer-operations.js';
import COMPONENTS from './components.json' with { type: 'json' };
import { jsonSchemas } from './json-schemas.js';
import { kindParts } from './kind-operations.js';
import { readPaths } from './read-operations.js';
import { answerRequestSchema } from './request-schemas.js';
import { COMMON_HEADERS, errorSchemas, headersOf, OPERATION_REASONS } from './responses.js';

/** Headers and parameters of requests, by their names in the document. */
const PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  ...COMPONENTS.parameters,
  Category: withValues(COMPONENTS.parameters.Category, CATEGORIES),
  UsageBy: withValues(COMPONENTS.parameters.UsageBy, USAGE_BY),
};

function withValues(parameter: { readonly schema: object }, values: readonly string[]): JsonSchema {
  return { ...parameter, schema: { ...parameter.schema, enum: values } };
}

/** The options that the document depends on. The options of `createGateway` fit. */
export interface OpenApiOptions {
  /** The base URL of the gateway, without a final slash. @default `../..`: relative to the address of the document */
  readonly server?: string | undefined;
  /** As in `createGateway`. @default 8,000 */
  readonly maxQueryCharacters?: number | undefined;
  /** As in `createGateway`. @default all paths of models, no other additional paths */
  readonly endpoints?: EndpointOptions | undefined;
  /** As in `createGateway`. If it is set, the document says that a call may be authenticated without an API key. @default none */
  readonly authenticate?: unknown;
}

/** A document of OpenAPI 3.1, as a plain object for JSON. */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: string;
  /** Title, version and description of the API. */
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  /** The mount path, relative to the document. */
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  /** The bearer token, for every operation that says nothing else. */
  readonly security: readonly JsonSchema[];
  /** The groups of operations, in their order. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path and, in lower case, by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Everything that the operations refer to, by kind and name. */
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Describes the HTTP interface of a gateway with these options: the document that `endpoints: { openapi: true }` serves at
 * `GET /api/v1/openapi.json`. It is built from the schemas of bodies and the table of errors.
 */
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const { server = FROM_THE_DOCUMENT, maxQueryCharacters = MAX_QUERY_CHARACTERS, authenticate } = options;
  const withKey = { apiKey: [] };
  const question = answerRequestSchema(maxQueryCharacters);
  const { endpoints = {} } = options;
  const kinds = kindParts(endpoints, maxQueryCharacters);
  const extensions = extensionParts(endpoints, question.properties);
  const { usage: hasUsage = false, asyncAnswers: isAsync = false } = endpoints;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Searchgate',
      version: '1',
      description: 'Answers with citations, searches, pages, ranks and vectors from many providers, over one API.',
    },
    servers: [{ url: server, description: 'Where the gateway is mounted.' }],
    security: authenticate === undefined ? [withKey] : [withKey, {}],
    tags: TAGS,
    paths: {
      [ANSWER_PATH]: { post: answerOperation(isAsync) },
      ...kinds.paths,
      ...readPaths(endpoints),
      ...extensions.paths,
    },
    components: {
      schemas: {
        AnswerRequest: question,
        ...kinds.requestSchemas,
        ...jsonSchemas({
          ...SUCCESS_SCHEMAS,
          ...kinds.replySchemas,
          ...METADATA_SCHEMAS,
          ...errorSchemas(DESCRIBED_REASONS),
          ...(hasUsage ? USAGE_SCHEMAS : {}),
          ...(isAsync ? ASYNC_SCHEMAS : {}),
        }),
        ...eventSchemas(),
        ...extensions.schemas,
      },
      parameters: PARAMETERS,
      headers: { ...COMPONENTS.headers, ...extensions.headers },
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of this gateway.' } },
    },
  };
}

/** From `/api/v1/openapi.json` up to the mount path, which may have another name for callers than for the gateway. */
const FROM_THE_DOCUMENT = '../..';

const DESCRIBED_REASONS: readonly Reason[] = [
  ...new Set(
    [...Object.values(OPERATION_REASONS), ...KIND_LIST.map(([, { operation }]) => operation.reasons ?? [])].flat(),
  ),
];

const TAGS = [
  { name: 'Answers', description: 'Questions and their answers.' },
  { name: 'Models', description: 'What can be asked.' },
  { name: 'Account', description: 'Credits and keys.' },
  { name: 'Description', description: 'This document.' },
  { name: 'Extensions', description: 'Paths that the operator has added.' },
];

/** The parts of the document for extensions, as they describe themselves. */
function extensionParts(endpoints: EndpointOptions, properties: DescribedQuestion['properties']) {
  const parts: Record<'paths' | 'schemas' | 'headers', Record<string, JsonSchema>> = {
    paths: {},
    schemas: {},
    headers: {},
  };
  for (const extension of extensionsOf(endpoints)) {
    if ('read' in extension) {
      const described = extension.describe({ properties, reasons: OPERATION_REASONS.answer });
      Object.assign(parts.paths, dialectPaths(extension, described));
      Object.assign(parts.schemas, described.schemas);
      Object.assign(parts.headers, described.errorHeaders);
    } else parts.paths[extension.path] = { post: extension.describe?.() ?? undescribed(extension.name) };
  }
  return parts;
}

/** The operation of an extension without `describe`. */
function undescribed(name: string): JsonSchema {
  const response = (description: string) => ({
    description,
    headers: headersOf(COMMON_HEADERS),
    content: { 'application/json': { schema: { type: 'object' } } },
  });
  return {
    operationId: name,
    tags: ['Extensions'],
    summary: `Use the extension ${name}`,
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: { '2XX': response('What was asked for.'), '4XX': response('An error.'), '5XX': response('An error.') },
  };
}
