import { type AnswerFields, createAnswerFieldsCheck, invalidFields } from '../../request/answer-fields.js';
import type { JsonObject } from '../parse-json.js';
import { wireName } from '../wire-name.js';
import { own } from '../wire-schemas.js';
import { questionOf } from './chat-messages.js';
import { chatNamesCheck } from './chat-names.js';

export interface ChatRequest {
  readonly fields: AnswerFields;
  /** Whether a stream ends with its usage. */
  readonly includeUsage: boolean;
}

/** Builds the check of a request's fields once. Nothing is coerced. @returns a function that throws RequestError `unsupported_field`, `invalid_field`. */
export function chatRequestReader(maxQueryCharacters: number): (body: JsonObject) => ChatRequest {
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
