import type { DescribedQuestion, Dialect, DialectDescription } from '@searchgate/core/extensions';
import { describeOpenAi } from '../openai/describe-openai.js';
import { closedObject, openAiErrorBody, openAiErrorHeaders, presentOpenAiError } from '../openai/openai-error.js';
import { invalid, isObject, own, readMessages } from '../openai/read-messages.js';
import DESCRIPTION from './chat-description.json' with { type: 'json' };
import FIELDS from './chat-fields.json' with { type: 'json' };
import { ChatFormat } from './chat-format.js';

const FORM = { field: 'messages', expected: 'an array of messages', textTypes: ['text'] } as const;

/**
 * `POST /api/v1/chat/completions`: questions and answers in the form of OpenAI's Chat Completions API, for clients without another form.
 *
 * @example createGateway({ …, endpoints: { chatCompletions: chatCompletions() } })
 */
export function chatCompletions(): Dialect {
  return {
    name: 'chat_completions',
    path: '/api/v1/chat/completions',
    fields: FIELDS,
    // Which of the messages is wrong is not said, because some are left out when they are read.
    nameOf: (field) => (/^(?:query|messages)\b/.test(field) ? 'messages' : field),
    read(body, clock) {
      const messages = readMessages(own(body, 'messages'), FORM);
      const includeUsage = wantsUsage(own(body, 'stream_options'));
      const form = own(body, 'response_format');
      const isJson = isObject(form) && own(form, 'type') === 'json_schema';
      return {
        fields: { ...body, query: undefined, messages },
        format: new ChatFormat({ askedAtMs: clock.now(), includeUsage, isJson }),
      };
    },
    presentError: presentOpenAiError,
    errorHeaders: openAiErrorHeaders,
    describe,
  };
}

function wantsUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw invalid('stream_options', options, 'an object');
  const wanted = own(options, 'include_usage') ?? false;
  if (typeof wanted !== 'boolean') throw invalid('stream_options.include_usage', wanted, 'true or false');
  return wanted;
}

/** The events of a stream have no names, and the last event is no JSON. */
function describe(question: DescribedQuestion): DialectDescription {
  const { asked, schemas, ...form } = DESCRIPTION;
  const contentSchema = {
    anyOf: [{ $ref: '#/components/schemas/ChatCompletionChunk' }, openAiErrorBody(question.reasons)],
  };
  const part = { type: 'string', contentMediaType: 'application/json', pattern: String.raw`^\{`, contentSchema };
  const ChatCompletionEvent = {
    description: 'An event of a stream: chunks, then an error or `[DONE]`.',
    oneOf: [{ const: '[DONE]' }, part].map((data) => closedObject({ data })),
  };
  const { response_format } = question.properties;
  return describeOpenAi(question, {
    ...form,
    asked: { ...asked, response_format },
    schemas: { ...schemas, ChatCompletionEvent },
  });
}
