import type { JsonSchema } from '../../base/options/read-request-options.js';
import type { EndpointOptions } from '../endpoint-options.js';
import {
  ANSWER_STATUS_EXAMPLE,
  CREDITS_EXAMPLE,
  KEY_EXAMPLE,
  MODELS_EXAMPLE,
  USAGE_EXAMPLE,
} from '../success-bodies.js';
import { refTo } from './json-schemas.js';
import OPERATIONS from './read-operations.json' with { type: 'json' };
import { COMMON_HEADERS, errorResponses, headersOf, OPERATION_REASONS } from './responses.js';

const EXAMPLES: Readonly<Record<string, unknown>> = {
  Models: MODELS_EXAMPLE,
  Model: MODELS_EXAMPLE.data[0],
  Credits: CREDITS_EXAMPLE,
  Key: KEY_EXAMPLE,
  Usage: USAGE_EXAMPLE,
  AnswerStatus: ANSWER_STATUS_EXAMPLE,
};

type Path = keyof typeof OPERATIONS;

interface ReadOperation {
  /** The id of the `get` operation, such as `getCredits`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** The name of the schema of the body; `null` for a document of OpenAPI. */
  readonly schema: string | null;
  readonly reasons: string;
  readonly parameters: readonly string[];
  /** Whether the response has an `ETag`, and is a 304 for a caller who already has the body. */
  readonly isTagged: boolean;
}

/** The read-only paths of a gateway. */
export function readPaths({ openapi = false, usage = false, asyncAnswers = false }: EndpointOptions) {
  const paths: Path[] = ['/api/v1/models', '/api/v1/models/{model}', '/api/v1/credits', '/api/v1/key'];
  if (usage) paths.push('/api/v1/usage');
  if (usage || asyncAnswers) paths.push('/api/v1/answers/{id}');
  if (openapi !== false) paths.push('/api/v1/openapi.json');
  return Object.fromEntries(paths.map((path) => [path, pathOf(path, { openapi, asyncAnswers })]));
}

/** Describes GET and HEAD, which is GET without bodies, and DELETE of an asynchronous answer. */
function pathOf(path: Path, { openapi, asyncAnswers }: Pick<EndpointOptions, 'openapi' | 'asyncAnswers'>): JsonSchema {
  const operation: ReadOperation = OPERATIONS[path];
  const { operationId, tag, summary } = operation;
  const isPublic = operation.schema === null && openapi === true;
  const responses = responsesOf(operation, isPublic ? 'public' : (operation.reasons as keyof typeof OPERATION_REASONS));
  const names = ['ClientRequestId', ...(operation.isTagged ? ['IfNoneMatch'] : []), ...operation.parameters];
  const get = {
    operationId,
    tags: [tag],
    summary,
    ...(isPublic ? { security: [] } : {}),
    parameters: names.map((name) => refTo('parameters', name)),
    responses,
  };
  const bare = Object.entries(responses).map(([status, { content: _content, ...response }]) => [status, response]);
  const head = {
    ...get,
    operationId: operationId.replace(/^[a-z]+/, 'head'),
    summary: `${summary}: the headers alone`,
    responses: Object.fromEntries(bare) as JsonSchema,
  };
  if (path !== '/api/v1/answers/{id}' || asyncAnswers !== true) return { get, head };
  const ending = 'End an asynchronous answer: the attempt under way is finished and charged, and no other begins';
  return { get, head, delete: { ...get, operationId: 'endAnswer', summary: ending } };
}

function responsesOf(
  { schema, isTagged }: ReadOperation,
  reasons: keyof typeof OPERATION_REASONS,
): Record<string, JsonSchema> {
  const headers = headersOf([...COMMON_HEADERS, ...(isTagged ? (['ETag'] as const) : [])]);
  const body =
    schema === null
      ? { schema: { type: 'object', description: 'A document of OpenAPI 3.1.' } }
      : { schema: refTo('schemas', schema), example: EXAMPLES[schema] };
  return {
    200: { description: 'What was asked for.', headers, content: { 'application/json': body } },
    ...(isTagged ? { 304: { description: 'The body is still the one with the `ETag` that was sent.', headers } } : {}),
    ...errorResponses(OPERATION_REASONS[reasons]),
  };
}
