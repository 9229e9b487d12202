import { RequestError } from '../../base/errors/request-error.js';
import { invalidFields } from '../../request/answer-fields.js';
import type { JsonObject } from '../parse-json.js';
import { own } from '../wire-schemas.js';

/** The fields that hold messages: what they must be, and the type of their text parts. */
const FIELDS = {
  messages: { expected: 'an array with one user message', textType: 'text' },
  input: { expected: 'a string or an array with one user message', textType: 'input_text' },
};
type MessagesField = keyof typeof FIELDS;

const CONTENT = 'a string or an array of text parts';

/**
 * The question of the messages: the text of the only user message, its parts joined by line feeds. Empty instructions are ignored.
 *
 * @throws RequestError `invalid_field`; `unsupported_field` for instructions, for earlier turns of a conversation, and for images and other parts.
 */
export function questionOf(messages: unknown, field: MessagesField): string {
  if (field === 'input' && typeof messages === 'string') return messages;
  if (!Array.isArray(messages)) throw invalid(field, messages, FIELDS[field].expected);
  const questions: string[] = [];
  for (const [index, message] of messages.entries()) {
    const question = readMessage(message, `${field}.${index}`, field);
    if (question !== undefined) questions.push(question);
  }
  const [question] = questions;
  if (question === undefined) throw invalid(field, messages, FIELDS[field].expected);
  if (questions.length > 1) throw unsupportedTurn(field);
  return question;
}

/** The question of a user message; `undefined` for empty instructions. */
function readMessage(message: unknown, path: string, field: MessagesField): string | undefined {
  if (!isObject(message)) throw invalid(path, message, 'an object with role and content');
  const role = own(message, 'role');
  if ((own(message, 'type') ?? 'message') !== 'message' || OTHER_TURNS.includes(role)) throw unsupportedTurn(field);
  const isInstruction = INSTRUCTIONS.includes(role);
  if (role !== 'user' && !isInstruction) throw invalid(`${path}.role`, role, '"user"');
  const text = textOf(own(message, 'content'), `${path}.content`, field);
  if (!isInstruction) return text;
  if (text.trim() !== '') throw unsupportedTurn(field);
  return undefined;
}

const INSTRUCTIONS: readonly unknown[] = ['system', 'developer'];
const OTHER_TURNS: readonly unknown[] = ['assistant', 'tool', 'function'];

function textOf(content: unknown, path: string, field: MessagesField): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(path, content, CONTENT);
  return content.map((part: unknown, index) => textOfPart(part, `${path}.${index}`, field)).join('\n');
}

function textOfPart(part: unknown, path: string, field: MessagesField): string {
  const { textType } = FIELDS[field];
  if (!isObject(part)) throw invalid(path, part, `an object such as {"type":"${textType}","text":"…"}`);
  const type = own(part, 'type');
  if (typeof type !== 'string') throw invalid(`${path}.type`, type, `"${textType}"`);
  if (type !== textType) throw unsupportedTurn(field);
  const text = own(part, 'text');
  if (typeof text !== 'string') throw invalid(`${path}.text`, text, 'a string');
  return text;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unsupportedTurn(field: MessagesField): RequestError {
  return unsupported(field, `Leave out of ${field} all but the text of one user message.`);
}

export function unsupported(param: string, note: string): RequestError {
  return new RequestError('unsupported_field', { param, note });
}

export function invalid(path: string, found: unknown, expected: string): RequestError {
  return invalidFields([{ path, message: found === undefined ? `is required: ${expected}` : `must be ${expected}` }]);
}
