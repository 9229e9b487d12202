import type { Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import {
  ANSWER_STATUS_EXAMPLE,
  CREDITS_EXAMPLE,
  KEY_EXAMPLE,
  MODELS_EXAMPLE,
  USAGE_EXAMPLE,
} from '../success-bodies.js';
import { refTo } from './json-schemas.js';
import { COMMON_HEADERS, errorResponses, headersOf, OPERATION_REASONS } from './responses.js';

interface ReadDescription {
  /** The id of the `get` operation, such as `getCredits`. */
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly body: { readonly schema: JsonSchema; readonly example?: unknown };
  readonly reasons: readonly Reason[];
  readonly parameters?: readonly string[];
  /** Whether the response has an `ETag`, and is a 304 for a caller who already has the body. */
  readonly isTagged?: boolean;
  /** `undefined` for the security of the whole document. */
  readonly security?: readonly JsonSchema[] | undefined;
}

/** The read-only paths of all gateways, without the path of the document. */
export function readPaths(): Record<string, JsonSchema> {
  return {
    '/api/v1/models': pathOf({
      operationId: 'listModels',
      tag: 'Models',
      summary: 'List the models and their prices',
      body: { schema: refTo('schemas', 'Models'), example: MODELS_EXAMPLE },
      reasons: OPERATION_REASONS.models,
      parameters: ['Category', 'Callable'],
      isTagged: true,
    }),
    '/api/v1/models/{model}': pathOf({
      operationId: 'getModel',
      tag: 'Models',
      summary: 'Read one model and its prices',
      body: { schema: refTo('schemas', 'Model'), example: MODELS_EXAMPLE.data[0] },
      reasons: OPERATION_REASONS.model,
      parameters: ['Model'],
      isTagged: true,
    }),
    '/api/v1/credits': pathOf({
      operationId: 'getCredits',
      tag: 'Account',
      summary: 'Read the balance of the organization',
      body: { schema: refTo('schemas', 'Credits'), example: CREDITS_EXAMPLE },
      reasons: OPERATION_REASONS.account,
    }),
    '/api/v1/key': pathOf({
      operationId: 'getKey',
      tag: 'Account',
      summary: 'Read what the calling key has spent and may spend',
      body: { schema: refTo('schemas', 'Key'), example: KEY_EXAMPLE },
      reasons: OPERATION_REASONS.account,
    }),
  };
}

/** The path of the extension `usage`. */
export function usagePaths(): Record<string, JsonSchema> {
  return {
    '/api/v1/usage': pathOf({
      operationId: 'getUsage',
      tag: 'Account',
      summary: 'Read what the calling key has spent, by day, model or tag',
      body: { schema: refTo('schemas', 'Usage'), example: USAGE_EXAMPLE },
      reasons: OPERATION_REASONS.usage,
      parameters: ['UsageBy', 'UsageFrom', 'UsageTo'],
    }),
  };
}

/** The path of one answer. @param isAsync whether an answer under way can be ended. */
export function answerPath(isAsync: boolean): Record<string, JsonSchema> {
  const path = pathOf({
    operationId: 'getAnswer',
    tag: 'Account',
    summary: 'Read what became of an answer, and what it cost',
    body: { schema: refTo('schemas', 'AnswerStatus'), example: ANSWER_STATUS_EXAMPLE },
    reasons: OPERATION_REASONS.answers,
    parameters: ['AnswerId'],
  });
  const ending = {
    ...(path['get'] as JsonSchema),
    operationId: 'endAnswer',
    summary: 'End an asynchronous answer: the attempt under way is finished and charged, and no other begins',
  };
  return { '/api/v1/answers/{id}': isAsync ? { ...path, delete: ending } : path };
}

/** The path of the document itself. */
export function documentPath(needsKey: boolean): JsonSchema {
  return pathOf({
    operationId: 'getOpenApi',
    tag: 'Description',
    summary: 'Read this document',
    body: { schema: { type: 'object', description: 'A document of OpenAPI 3.1.' } },
    reasons: needsKey ? OPERATION_REASONS.document : OPERATION_REASONS.public,
    isTagged: true,
    security: needsKey ? undefined : [],
  });
}

/** Describes GET and HEAD, which is GET without bodies. */
function pathOf(description: ReadDescription): JsonSchema {
  const { operationId, tag, summary, body, reasons, parameters = [], isTagged = false, security } = description;
  const headers = headersOf([...COMMON_HEADERS, ...(isTagged ? (['ETag'] as const) : [])]);
  const names = ['ClientRequestId', ...(isTagged ? ['IfNoneMatch'] : []), ...parameters];
  const responses: Record<string, JsonSchema> = {
    200: { description: 'What was asked for.', headers, content: { 'application/json': body } },
    ...(isTagged ? { 304: { description: 'The body is still the one with the `ETag` that was sent.', headers } } : {}),
    ...errorResponses(reasons),
  };
  const get = {
    operationId,
    tags: [tag],
    summary,
    ...(security === undefined ? {} : { security }),
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
  return { get, head };
}
