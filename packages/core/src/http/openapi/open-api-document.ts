import type { Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { MAX_QUERY_CHARACTERS } from '../../request/answer-fields.js';
import type { EndpointOptions } from '../endpoint-options.js';
import { OPENAPI_PATH } from '../openapi-endpoint.js';
import { answerOperation, eventSchemas } from './answer-operation.js';
import { answerRequestSchema } from './answer-request.js';
import { chatOperation } from './chat-operation.js';
import { CHAT_SCHEMAS, chatEventSchema, chatRequestSchema } from './chat-schemas.js';
import { METADATA_SCHEMAS } from './error-metadata.js';
import { OPERATION_REASONS } from './error-responses.js';
import { errorSchemas } from './error-schemas.js';
import { extensionPath } from './extension-path.js';
import { RESPONSE_HEADERS } from './headers.js';
import { jsonSchemas } from './json-schemas.js';
import { PARAMETERS } from './parameters.js';
import { documentPath, readPaths, usagePaths } from './read-operations.js';
import { SUCCESS_SCHEMAS } from './success-schemas.js';
import { USAGE_SCHEMAS } from './usage-schemas.js';

/** What the document depends on. The options of `createGateway` fit. */
export interface OpenApiOptions {
  /** The base URL of the gateway, without a slash at its end. Default `../..`: wherever the document itself is read. */
  readonly server?: string | undefined;
  /** As in `createGateway`. Default 8,000. */
  readonly maxQueryCharacters?: number | undefined;
  /** As in `createGateway`: their paths are described. Default: none. */
  readonly endpoints?: EndpointOptions | undefined;
  /** As in `createGateway`. Where it is set, the document says that a call may be authenticated without an API key. */
  readonly authenticate?: unknown;
}

/** A document of OpenAPI 3.1, as a plain object that JSON can say. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly JsonSchema[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path and, in lower case, by method. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Describes the HTTP interface of a gateway with these options: the document that `endpoints: { openapi: true }` serves at
 * `GET /api/v1/openapi.json`. It is made of the schemas that check requests and of the table of errors.
 */
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const { server = FROM_THE_DOCUMENT, maxQueryCharacters = MAX_QUERY_CHARACTERS, authenticate } = options;
  const withKey = { apiKey: [] };
  const question = answerRequestSchema(maxQueryCharacters);
  const hasUsage = options.endpoints?.usage === true;
  const hasChat = options.endpoints?.chatCompletions === true;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Searchgate',
      version: '1',
      description: 'Answers with citations from many providers, over one API.',
    },
    servers: [{ url: server, description: 'Where the gateway is mounted.' }],
    security: authenticate === undefined ? [withKey] : [withKey, {}],
    tags: TAGS,
    paths: { '/api/v1/answer': { post: answerOperation() }, ...readPaths(), ...extensionPaths(options) },
    components: {
      schemas: {
        AnswerRequest: question,
        ...jsonSchemas({
          ...COMMON_SCHEMAS,
          ...errorSchemas(DESCRIBED_REASONS),
          ...(hasChat ? CHAT_SCHEMAS : {}),
          ...(hasUsage ? USAGE_SCHEMAS : {}),
        }),
        ...eventSchemas(),
        ...(hasChat ? chatParts(question) : {}),
      },
      parameters: PARAMETERS,
      headers: RESPONSE_HEADERS,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of this gateway.' } },
    },
  };
}

/** From `…/api/v1/openapi.json` to the mount path, which may differ between what the gateway sees and what callers see. */
const FROM_THE_DOCUMENT = '../..';

const DESCRIBED_REASONS: readonly Reason[] = [...new Set(Object.values(OPERATION_REASONS).flat())];

const TAGS = [
  { name: 'Answers', description: 'Questions and their answers.' },
  { name: 'Models', description: 'What can be asked.' },
  { name: 'Account', description: 'Credits and keys.' },
  { name: 'Description', description: 'This document.' },
  { name: 'Extensions', description: 'Paths that the operator has added.' },
];

const COMMON_SCHEMAS = { ...SUCCESS_SCHEMAS, ...METADATA_SCHEMAS };

/** What only chat completions need. */
function chatParts(question: JsonSchema): Record<string, JsonSchema> {
  return {
    ChatCompletionRequest: chatRequestSchema(question),
    ChatCompletionEvent: chatEventSchema(OPERATION_REASONS.answer),
  };
}

function extensionPaths({
  endpoints: { openapi = false, chatCompletions = false, usage = false, mcp } = {},
}: OpenApiOptions): Record<string, JsonSchema> {
  return {
    ...(chatCompletions ? { '/api/v1/chat/completions': { post: chatOperation() } } : {}),
    ...(usage ? usagePaths() : {}),
    ...(mcp === undefined ? {} : { [mcp.path]: extensionPath(mcp) }),
    ...(openapi === false ? {} : { [OPENAPI_PATH]: documentPath(openapi === 'key') }),
  };
}
