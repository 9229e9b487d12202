import { REASONS, type Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
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

/** Headers of an answer. */
export const ANSWER_HEADERS: readonly ResponseHeader[] = [
  ...COMMON_HEADERS,
  'Server-Timing',
  ...CALLER_HEADERS,
  'Cache-Status',
  'Age',
  'X-Accel-Buffering',
];

/** Parameters of a call that is charged. */
export const PARAMETERS = ['IdempotencyKey', 'CacheControl', 'ClientRequestId'].map((name) =>
  refTo('parameters', name),
);

interface AnswerDescription {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The content of the request. */
  readonly asked: JsonSchema;
  /** The description of the 200, the content of a whole answer, and the content of a stream. */
  readonly answered: readonly [description: string, whole: JsonSchema, stream: JsonSchema];
  readonly errors: JsonSchema;
}

/** An operation that answers questions. */
function operationOf({
  asked,
  answered: [description, whole, stream],
  errors,
  ...about
}: AnswerDescription): JsonSchema {
  const content = {
    'application/json': whole,
    // The schema of each event: `itemSchema` in OpenAPI 3.2.
    'text/event-stream': { schema: { type: 'string' }, ...stream },
  };
  return {
    ...about,
    tags: ['Answers'],
    parameters: PARAMETERS,
    requestBody: { required: true, content: { 'application/json': asked } },
    responses: { 200: { description, headers: headersOf(ANSWER_HEADERS), content }, ...errors },
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

/** `POST /chat/completions` or `/responses`. @param schema names the schema of a whole answer, and begins the names of the others. */
export function openAiOperation(schema: 'ChatCompletion' | 'Response'): JsonSchema {
  return operationOf({
    operationId: `create${schema}`,
    summary: `Ask a question in the form of OpenAI's ${schema === 'Response' ? 'responses' : 'chat completions'}`,
    description: 'The same as `POST /api/v1/answer`, for clients that only know this form.',
    asked: { schema: refTo('schemas', `${schema}Request`) },
    answered: [
      'The answer; with `"stream": true` its parts.',
      { schema: refTo('schemas', schema) },
      { 'x-itemSchema': refTo('schemas', `${schema}Event`) },
    ],
    errors: errorResponses(OPERATION_REASONS.answer, [...CALLER_HEADERS, 'X-Should-Retry'], openAiErrorBody),
  });
}

/** The events of a stream of chat completions have no names, and the last event is no JSON. */
export function chatEventSchema(): JsonSchema {
  const contentSchema = { anyOf: [refTo('schemas', 'ChatCompletionChunk'), openAiErrorBody(OPERATION_REASONS.answer)] };
  return {
    description: 'An event of a stream: chunks, then an error or `[DONE]`.',
    oneOf: [
      closedObject({ data: { const: '[DONE]' } }),
      closedObject({ data: { ...jsonData, pattern: String.raw`^\{`, contentSchema } }),
    ],
  };
}

/** The events of a stream of responses. */
export function responsesEventSchema(): JsonSchema {
  const event = { type: 'string', pattern: String.raw`^(?:response\.|error$)` };
  return {
    description: 'An event of a stream: those of a response, then `response.completed` or `error`.',
    oneOf: [closedObject({ event, data: { ...jsonData, contentSchema: refTo('schemas', 'ResponseEventData') } })],
  };
}

/** The body of an error with one of the reasons, in OpenAI's form. */
function openAiErrorBody(reasons: readonly Reason[]): JsonSchema {
  const wordsOf = (of: (reason: Reason) => unknown) => ({ enum: [...new Set(reasons.map(of))] });
  const error = closedObject({
    message: { type: 'string' },
    type: wordsOf((reason) => REASONS[reason].type),
    param: { type: ['string', 'null'] },
    code: { ...wordsOf((reason) => reason), description: 'The reason: what to branch on.' },
    status: { ...wordsOf((reason) => REASONS[reason].status), description: 'The HTTP status.' },
    retryable: { type: 'boolean' },
    request_id: { type: 'string' },
    metadata: { type: ['object', 'null'], description: 'As in the errors of `POST /api/v1/answer`.' },
  });
  return closedObject({ error });
}
