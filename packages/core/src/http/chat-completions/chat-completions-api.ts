import type { Clock } from '../../base/time/clock.js';
import { type AnswerFields, createAnswerFieldsCheck, invalidFields } from '../../request/answer-fields.js';
import type { AnswerApi } from '../answer-api.js';
import type { JsonObject } from '../parse-json.js';
import { wireName } from '../wire-name.js';
import { own } from '../wire-schemas.js';
import { chatErrorHeaders, presentChatError } from './chat-error.js';
import { ChatFormat } from './chat-format.js';
import { questionOf } from './chat-messages.js';
import { chatNamesCheck } from './chat-names.js';

/** `POST /api/v1/chat/completions`: questions and answers in the form of OpenAI's Chat Completions API, for clients that know no other. */
export function chatCompletionsApi(maxQueryCharacters: number, clock: Pick<Clock, 'now'>): AnswerApi {
  const read = chatRequestReader(maxQueryCharacters);
  return {
    name: 'chat_completions',
    read(body) {
      const { fields, includeUsage } = read(body);
      return { fields, format: new ChatFormat({ askedAtMs: clock.now(), includeUsage }) };
    },
    presentError: presentChatError,
    errorHeaders: chatErrorHeaders,
  };
}

interface ChatRequest {
  readonly fields: AnswerFields;
  /** Whether a stream ends with its usage. */
  readonly includeUsage: boolean;
}

/** Builds the check of a request's fields once. Nothing is coerced. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
function chatRequestReader(maxQueryCharacters: number): (body: JsonObject) => ChatRequest {
  const nameOf = (field: string) => (field === 'query' ? 'messages' : wireName(field));
  const check = createAnswerFieldsCheck(maxQueryCharacters, nameOf);
  const checkNames = chatNamesCheck(nameOf);
  return (body) => {
    checkNames(body);
    const fields = check({
      model: own(body, 'model'),
      query: questionOf(own(body, 'messages')),
      includeCitations: own(body, 'include_citations'),
      stream: own(body, 'stream'),
      search: own(body, 'search'),
      routing: own(body, 'routing'),
      tag: own(body, 'tag'),
    });
    return { fields, includeUsage: wantsUsage(own(body, 'stream_options')) };
  };
}

function wantsUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false;
  if (typeof options !== 'object' || Array.isArray(options)) throw invalid('stream_options', 'an object');
  const wanted = own(options as JsonObject, 'include_usage') ?? false;
  if (typeof wanted !== 'boolean') throw invalid('stream_options.include_usage', 'true or false');
  return wanted;
}

function invalid(path: string, expected: string) {
  return invalidFields([{ path, message: `must be ${expected}` }]);
}
