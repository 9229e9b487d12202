import { REASONS, type Reason } from '../../base/errors/reasons.js';
import type { JsonSchema } from '../../base/options/read-request-options.js';
import { refTo } from './refs.js';

/** The body of an error with one of the reasons, in the form that OpenAI's clients know. */
export function chatErrorBody(reasons: readonly Reason[]): JsonSchema {
  const wordsOf = (of: (reason: Reason) => unknown) => ({ enum: [...new Set(reasons.map(of))] });
  const fields = {
    message: { type: 'string' },
    type: wordsOf((reason) => REASONS[reason].type),
    param: { type: ['string', 'null'] },
    code: { ...wordsOf((reason) => reason), description: 'The reason: what to branch on.' },
    status: { ...wordsOf((reason) => REASONS[reason].status), description: 'The HTTP status.' },
    retryable: { type: 'boolean' },
    request_id: { type: 'string' },
    metadata: { type: ['object', 'null'], description: 'As in the errors of `POST /api/v1/answer`.' },
  };
  const error = { type: 'object', properties: fields, required: Object.keys(fields), additionalProperties: false };
  return { type: 'object', properties: { error }, required: ['error'], additionalProperties: false };
}

/** The body of `POST /chat/completions`. It says less than the checks do: OpenAI's fields are many, and most are ignored. */
export function chatRequestSchema(answerRequest: JsonSchema): JsonSchema {
  const { model, stream, include_citations, search, routing } = answerRequest['properties'] as Record<
    string,
    JsonSchema
  >;
  const options = { type: ['object', 'null'], properties: { include_usage: { type: ['boolean', 'null'] } } };
  return {
    type: 'object',
    description: 'A question as a chat completion. Fields that only steer how a model writes are ignored.',
    properties: { model, messages: MESSAGES, stream, stream_options: options, include_citations, search, routing },
    required: ['model', 'messages'],
    examples: [{ model: 'exa/answer', messages: [{ role: 'user', content: 'When did the Zephyr Bridge open?' }] }],
  };
}

const MESSAGES = {
  type: 'array',
  description: 'One message of a user, whose text is the question.',
  items: {
    type: 'object',
    properties: {
      role: { enum: ['user', 'system', 'developer'] },
      content: {
        oneOf: [
          { type: 'string' },
          {
            type: 'array',
            items: {
              type: 'object',
              properties: { type: { const: 'text' }, text: { type: 'string' } },
              required: ['type', 'text'],
            },
          },
        ],
      },
    },
    required: ['role', 'content'],
  },
  minItems: 1,
};

/** The events of a stream have no names, and the last one is no JSON. */
export function chatEventSchema(reasons: readonly Reason[]): JsonSchema {
  const contentSchema = { anyOf: [refTo('schemas', 'ChatCompletionChunk'), chatErrorBody(reasons)] };
  const eventWith = (data: JsonSchema) => ({
    type: 'object',
    properties: { data },
    required: ['data'],
    additionalProperties: false,
  });
  return {
    description: 'An event of a stream: chunks, then an error or `[DONE]`.',
    oneOf: [
      eventWith({ const: '[DONE]' }),
      eventWith({ type: 'string', pattern: String.raw`^\{`, contentMediaType: 'application/json', contentSchema }),
    ],
  };
}
