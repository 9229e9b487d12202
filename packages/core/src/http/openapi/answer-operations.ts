import type { Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import type { Dialect, DialectDescription } from '../dialect.js';
import { ACCEPTED_EXAMPLE, ANSWER_EVENTS, ANSWER_EXAMPLE, STREAM_EXAMPLE } from '../success-bodies.js';
import { closedObject, refTo } from './json-schemas.js';
import {
  COMMON_HEADERS,
  errorBody,
  errorResponses,
  headersOf,
  OPERATION_REASONS,
  type ResponseHeader,
} from './responses.js';

/** Headers of an answer, and of a refusal that depends on the caller. */
export const CALLER_HEADERS: readonly ResponseHeader[] = ['RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'];

/** Headers of a reply. */
const REPLY_HEADERS: readonly ResponseHeader[] = [
  ...COMMON_HEADERS,
  'Server-Timing',
  ...CALLER_HEADERS,
  'Cache-Status',
  'Age',
];

/** Parameters of a call that is charged. */
const PARAMETERS = ['IdempotencyKey', 'CacheControl', 'ClientRequestId'].map((name) => refTo('parameters', name));

interface ChargedOperation extends Pick<DialectDescription, 'operationId' | 'summary' | 'description'> {
  /** The content of the request. */
  readonly asked: JsonSchema;
  /** The description of the 200, the content of a whole answer, and the content of a stream where there is one. */
  readonly answered: readonly [description: string, whole: JsonSchema, stream?: JsonSchema | undefined];
  readonly errors: JsonSchema;
}

/** An operation that is charged. */
export function operationOf({ asked, answered, errors, ...about }: ChargedOperation): JsonSchema {
  const [description, whole, stream] = answered;
  const headers = headersOf(stream === undefined ? REPLY_HEADERS : [...REPLY_HEADERS, 'X-Accel-Buffering']);
  // The schema of each event: `itemSchema` in OpenAPI 3.2.
  const events = stream === undefined ? {} : { 'text/event-stream': { schema: { type: 'string' }, ...stream } };
  const content = { 'application/json': whole, ...events };
  return {
    ...about,
    tags: ['Answers'],
    parameters: PARAMETERS,
    requestBody: { required: true, content: { 'application/json': asked } },
    responses: { 200: { description, headers, content }, ...errors },
  };
}

const QUESTION = { model: 'exa/answer', query: 'When did the Zephyr Bridge open?' };
const REQUEST_EXAMPLES = {
  question: { summary: 'A question', value: QUESTION },
  stream: { summary: 'As events while it is written', value: { ...QUESTION, stream: true } },
  search: {
    summary: 'From recent pages of one site',
    value: { ...QUESTION, search: { include_domains: ['example.org'], freshness: 'month' } },
  },
  routing: {
    summary: 'By the cheapest of two models, for a cent at the most',
    value: { ...QUESTION, routing: { fallbacks: ['perplexity/sonar'], sort: 'price', max_cost: '0.01' } },
  },
};

/** `POST /answer`. @param isAsync whether callers need not wait. */
export function answerOperation(isAsync: boolean): JsonSchema {
  const operation = operationOf({
    operationId: 'answer',
    summary: 'Ask a question',
    description:
      'Answers a question with citations. The price is held before a provider is asked, and the true cost is charged afterwards.',
    asked: { schema: refTo('schemas', 'AnswerRequest'), examples: REQUEST_EXAMPLES },
    answered: [
      'The answer; with `"stream": true` its events. Lines of a stream that begin with `:` are comments.',
      { schema: refTo('schemas', 'Answer'), example: ANSWER_EXAMPLE },
      { 'x-itemSchema': refTo('schemas', 'AnswerEvent'), example: STREAM_EXAMPLE },
    ],
    errors: errorResponses(OPERATION_REASONS.answer, CALLER_HEADERS),
  });
  if (!isAsync) return operation;
  const accepted = {
    description: 'With `Prefer: respond-async`: the answer is under way.',
    headers: headersOf([...COMMON_HEADERS, ...CALLER_HEADERS, 'Location', 'Preference-Applied']),
    content: { 'application/json': { schema: refTo('schemas', 'Accepted'), example: ACCEPTED_EXAMPLE } },
  };
  return {
    ...operation,
    parameters: [...PARAMETERS, refTo('parameters', 'Prefer')],
    responses: { ...(operation['responses'] as JsonSchema), 202: accepted },
  };
}

const jsonData = { type: 'string', contentMediaType: 'application/json' };

/** The schemas of the events of a stream. */
export function eventSchemas(): Record<string, JsonSchema> {
  return {
    AnswerError: {
      description: 'Data of the event `error`, the last one of an answer that is not whole.',
      ...errorBody(OPERATION_REASONS.answer),
    },
    AnswerEvent: {
      description: 'An event of a stream: `start`, `citations` and `delta`s, then `done` or `error`.',
      oneOf: Object.entries(ANSWER_EVENTS).map(([event, schema]) =>
        closedObject({ event: { const: event }, data: { ...jsonData, contentSchema: refTo('schemas', schema) } }),
      ),
    },
  };
}

/** The paths of a dialect, by their methods. */
export function dialectPaths({ path, keyPath, isQuery }: Dialect, described: DialectDescription) {
  const paths = { [path]: dialectMethods(dialectOperation(described), { described, isQuery }) };
  if (keyPath === undefined) return paths;
  const { operationId } = described;
  const operation = dialectOperation({ ...described, operationId: `${operationId}ByKeyPath` }, KEY_PATH_REASONS);
  const parameters = [...PARAMETERS, { name: 'key', in: 'path', required: true, schema: { type: 'string' } }];
  const methods = dialectMethods({ ...operation, parameters, security: [] }, { described, isQuery });
  return { ...paths, [keyPath]: methods };
}

const KEY_PATH_REASONS: readonly Reason[] = [...OPERATION_REASONS.answer, 'key_not_allowed_in_path'];

function dialectMethods(
  operation: JsonSchema,
  { described, isQuery = false }: Pick<Dialect, 'isQuery'> & { readonly described: DialectDescription },
): Readonly<Record<string, JsonSchema>> {
  if (!isQuery) return { post: operation };
  const { properties = {} } = described.schemas[described.request] ?? {};
  const fields = Object.keys(properties as object).map((name) => ({ name, in: 'query', schema: { type: 'string' } }));
  const parameters = [...(operation['parameters'] as readonly JsonSchema[]), ...fields];
  return { get: { ...operation, requestBody: undefined, parameters } };
}

function dialectOperation(described: DialectDescription, reasons: readonly Reason[] = OPERATION_REASONS.answer) {
  const { operationId, summary, description, request, answer, event, errorHeaders = {} } = described;
  return operationOf({
    operationId,
    summary,
    description,
    asked: { schema: refTo('schemas', request) },
    answered: [
      event === undefined ? 'The reply.' : 'The answer; with `"stream": true` its parts.',
      { schema: refTo('schemas', answer) },
      event === undefined ? undefined : { 'x-itemSchema': refTo('schemas', event) },
    ],
    errors: errorResponses(reasons, [...CALLER_HEADERS, ...Object.keys(errorHeaders)], described.errorBody),
  });
}
