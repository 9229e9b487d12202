import type { JsonSchema } from '../../base/options/read-request-options.js';
import { ANSWER_HEADERS, ANSWER_PARAMETERS, CALLER_HEADERS } from './answer-operation.js';
import { chatErrorBody } from './chat-schemas.js';
import { errorResponses, OPERATION_REASONS } from './error-responses.js';
import { headersOf } from './headers.js';
import { refTo } from './refs.js';

/** `POST /chat/completions`. */
export function chatOperation(): JsonSchema {
  const schema = refTo('schemas', 'ChatCompletion');
  return {
    operationId: 'createChatCompletion',
    tags: ['Answers'],
    summary: "Ask a question in the form of OpenAI's chat completions",
    description: 'The same as `POST /api/v1/answer`, for clients that only know this form.',
    parameters: ANSWER_PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: refTo('schemas', 'ChatCompletionRequest') } },
    },
    responses: {
      200: {
        description: 'The answer; with `"stream": true` its parts.',
        headers: headersOf(ANSWER_HEADERS),
        content: {
          'application/json': { schema },
          'text/event-stream': {
            schema: { type: 'string' },
            'x-itemSchema': refTo('schemas', 'ChatCompletionEvent'),
          },
        },
      },
      ...errorResponses(OPERATION_REASONS.answer, [...CALLER_HEADERS, 'X-Should-Retry'], chatErrorBody),
    },
  };
}
