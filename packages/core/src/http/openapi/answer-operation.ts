import type { JsonSchema } from '../../base/options/read-request-options.js';
import { errorResponses, OPERATION_REASONS } from './error-responses.js';
import { errorBody } from './error-schemas.js';
import { REQUEST_EXAMPLES, RESPONSE_EXAMPLES } from './examples.js';
import { COMMON_HEADERS, headersOf, type ResponseHeader } from './headers.js';
import { refTo } from './refs.js';

/** Of any call that is answered or refused for its caller. */
export const CALLER_HEADERS: readonly ResponseHeader[] = ['RateLimit', 'RateLimit-Policy', 'Idempotent-Replayed'];

/** Of a question that is answered. */
export const ANSWER_HEADERS: readonly ResponseHeader[] = [
  ...COMMON_HEADERS,
  'Server-Timing',
  ...CALLER_HEADERS,
  'Cache-Status',
  'Age',
  'X-Accel-Buffering',
];

/** What may be sent beside a question. */
export const ANSWER_PARAMETERS = ['IdempotencyKey', 'CacheControl', 'ClientRequestId'].map((name) =>
  refTo('parameters', name),
);

/** The events of a stream, by the schema of their data. */
const EVENTS = {
  start: 'AnswerStart',
  citations: 'AnswerCitations',
  delta: 'AnswerDelta',
  done: 'Answer',
  error: 'AnswerError',
} as const;

/** The parts of the document that only the events of a stream need. */
export function eventSchemas(): Record<string, JsonSchema> {
  return {
    AnswerError: {
      description: 'Data of the event `error`, the last one of an answer that is not whole.',
      ...errorBody(OPERATION_REASONS.answer),
    },
    AnswerEvent: {
      description: 'An event of a stream: `start`, `citations` and `delta`s, then `done` or `error`.',
      oneOf: Object.entries(EVENTS).map(([event, schema]) => ({
        type: 'object',
        properties: {
          event: { const: event },
          data: { type: 'string', contentMediaType: 'application/json', contentSchema: refTo('schemas', schema) },
        },
        required: ['event', 'data'],
        additionalProperties: false,
      })),
    },
  };
}

/** `POST /answer`. */
export function answerOperation(): JsonSchema {
  return {
    operationId: 'answer',
    tags: ['Answers'],
    summary: 'Ask a question',
    description:
      'Answers a question with citations. The price is held before a provider is asked, and the true cost is charged afterwards.',
    parameters: ANSWER_PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: refTo('schemas', 'AnswerRequest'), examples: REQUEST_EXAMPLES } },
    },
    responses: { 200: answered(), ...errorResponses(OPERATION_REASONS.answer, CALLER_HEADERS) },
  };
}

function answered(): JsonSchema {
  return {
    description: 'The answer; with `"stream": true` its events. Lines of a stream that begin with `:` are comments.',
    headers: headersOf(ANSWER_HEADERS),
    content: {
      'application/json': { schema: refTo('schemas', 'Answer'), example: RESPONSE_EXAMPLES.ANSWER },
      'text/event-stream': {
        schema: { type: 'string' },
        // What OpenAPI 3.2 calls `itemSchema`: each event of the stream.
        'x-itemSchema': refTo('schemas', 'AnswerEvent'),
        example: RESPONSE_EXAMPLES.STREAM,
      },
    },
  };
}
