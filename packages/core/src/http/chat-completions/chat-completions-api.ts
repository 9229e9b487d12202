import { RequestError } from '../../base/errors/request-error.js';
import type { Clock } from '../../base/time/clock.js';
import { type AnswerFields, createAnswerFieldsCheck, invalidFields } from '../../request/answer-fields.js';
import type { AnswerApi } from '../answer-api.js';
import type { JsonObject } from '../parse-json.js';
import { wireName } from '../wire-name.js';
import { own, ownFields } from '../wire-schemas.js';
import { chatErrorHeaders, presentChatError } from './chat-error.js';
import { ChatFormat } from './chat-format.js';
import { chatNamesCheck } from './chat-names.js';

/** `POST /api/v1/chat/completions`: questions and answers in the form of OpenAI's Chat Completions API, for clients without another form. */
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
    const fields = check({ ...ownFields(body), query: questionOf(own(body, 'messages')) });
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

const MESSAGES = 'an array with one user message';
const CONTENT = 'a string or an array of text parts';

/**
 * The question of the messages: the text of the only user message, its parts joined by line feeds. Empty instructions are ignored.
 *
 * @throws RequestError `invalid_field`; `unsupported_field` for instructions, for earlier turns of a conversation, and for images and other parts.
 */
function questionOf(messages: unknown): string {
  if (!Array.isArray(messages)) throw invalid('messages', messages, MESSAGES);
  const questions: string[] = [];
  for (const [index, message] of messages.entries()) {
    const question = readMessage(message, `messages.${index}`);
    if (question !== undefined) questions.push(question);
  }
  const [question] = questions;
  if (question === undefined) throw invalid('messages', messages, MESSAGES);
  if (questions.length > 1) throw unsupported();
  return question;
}

/** The question of a user message; `undefined` for empty instructions. */
function readMessage(message: unknown, path: string): string | undefined {
  if (!isObject(message)) throw invalid(path, message, 'an object with role and content');
  const role = own(message, 'role');
  if (OTHER_TURNS.includes(role)) throw unsupported();
  const isInstruction = INSTRUCTIONS.includes(role);
  if (role !== 'user' && !isInstruction) throw invalid(`${path}.role`, role, '"user"');
  const text = textOf(own(message, 'content'), `${path}.content`);
  if (!isInstruction) return text;
  if (text.trim() !== '') throw unsupported();
  return undefined;
}

const INSTRUCTIONS: readonly unknown[] = ['system', 'developer'];
const OTHER_TURNS: readonly unknown[] = ['assistant', 'tool', 'function'];

function textOf(content: unknown, path: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(path, content, CONTENT);
  return content.map((part: unknown, index) => textOfPart(part, `${path}.${index}`)).join('\n');
}

function textOfPart(part: unknown, path: string): string {
  if (!isObject(part)) throw invalid(path, part, 'an object such as {"type":"text","text":"…"}');
  const type = own(part, 'type');
  if (typeof type !== 'string') throw invalid(`${path}.type`, type, '"text"');
  if (type !== 'text') throw unsupported();
  const text = own(part, 'text');
  if (typeof text !== 'string') throw invalid(`${path}.text`, text, 'a string');
  return text;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unsupported(): RequestError {
  const note = 'Leave out of messages all but the text of one user message.';
  return new RequestError('unsupported_field', { param: 'messages', note });
}

function invalid(path: string, found: unknown, expected: string): RequestError {
  return invalidFields([{ path, message: found === undefined ? `is required: ${expected}` : `must be ${expected}` }]);
}
