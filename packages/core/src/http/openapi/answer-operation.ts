import type { JsonSchema } from '../../base/options/read-request-options.js';
import { ANSWER_EVENTS, ANSWER_EXAMPLE, STREAM_EXAMPLE } from '../success-bodies.js';
import { errorResponses, OPERATION_REASONS } from './error-responses.js';
import { errorBody } from './error-schemas.js';
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

/** The parts of the document that only the events of a stream need. */
export function eventSchemas(): Record<string, JsonSchema> {
  return {
    AnswerError: {
      description: 'Data of the event `error`, the last one of an answer that is not whole.',
      ...errorBody(OPERATION_REASONS.answer),
    },
    AnswerEvent: {
      description: 'An event of a stream: `start`, `citations` and `delta`s, then `done` or `error`.',
      oneOf: Object.entries(ANSWER_EVENTS).map(([event, schema]) => ({
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
      'application/json': { schema: refTo('schemas', 'Answer'), example: ANSWER_EXAMPLE },
      'text/event-stream': {
        schema: { type: 'string' },
        // What OpenAPI 3.2 calls `itemSchema`: each event of the stream.
        'x-itemSchema': refTo('schemas', 'AnswerEvent'),
        example: STREAM_EXAMPLE,
      },
    },
  };
}

const QUESTION = { model: 'exa/answer', query: 'When did the Zephyr Bridge open?' };

/** What can be asked. */
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
