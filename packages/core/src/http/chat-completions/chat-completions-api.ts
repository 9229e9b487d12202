import type { Clock } from '../../base/time/clock.js';
import { type AnswerFields, createAnswerFieldsCheck } from '../../request/answer-fields.js';
import type { AnswerApi } from '../answer-api.js';
import { openAiErrorHeaders, presentOpenAiError } from '../openai-form/openai-error.js';
import { invalid, isObject, readMessages } from '../openai-form/read-messages.js';
import type { JsonObject } from '../parse-json.js';
import { wireName } from '../wire-name.js';
import { own, ownFields } from '../wire-schemas.js';
import { ChatFormat } from './chat-format.js';
import { chatNamesCheck } from './chat-names.js';

/** `POST /api/v1/chat/completions`: questions and answers in the form of OpenAI's Chat Completions API, for clients without another form. */
export function chatCompletionsApi(maxQueryCharacters: number, clock: Pick<Clock, 'now'>): AnswerApi {
  const read = chatRequestReader(maxQueryCharacters);
  return {
    name: 'chat_completions',
    read(body) {
      const { fields, includeUsage } = read(body);
      const isJson = fields.responseFormat !== undefined;
      return { fields, format: new ChatFormat({ askedAtMs: clock.now(), includeUsage, isJson }) };
    },
    presentError: presentOpenAiError,
    errorHeaders: openAiErrorHeaders,
  };
}

const FORM = { field: 'messages', expected: 'an array of messages', textTypes: ['text'] } as const;

interface ChatRequest {
  readonly fields: AnswerFields;
  /** Whether a stream ends with its usage. */
  readonly includeUsage: boolean;
}

/** Builds the check of a request's fields once. Nothing is coerced. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
function chatRequestReader(maxQueryCharacters: number): (body: JsonObject) => ChatRequest {
  // Which of the messages is wrong is not said, because some are left out when they are read.
  const nameOf = (field: string) => (/^(?:query|messages)\b/.test(field) ? 'messages' : wireName(field));
  const check = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  const checkNames = chatNamesCheck(nameOf);
  return (body) => {
    checkNames(body);
    const messages = readMessages(own(body, 'messages'), FORM);
    const fields = check({ ...ownFields(body), query: undefined, messages });
    return { fields, includeUsage: wantsUsage(own(body, 'stream_options')) };
  };
}

function wantsUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw invalid('stream_options', options, 'an object');
  const wanted = own(options, 'include_usage') ?? false;
  if (typeof wanted !== 'boolean') throw invalid('stream_options.include_usage', wanted, 'true or false');
  return wanted;
}
