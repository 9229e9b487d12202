import { type JsonObject, RequestError } from '@searchgate/core/extensions';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** How an API of OpenAI writes messages. */
export interface MessageForm {
  /** The field of the messages. */
  readonly field: string;
  /** The type of the field. */
  readonly expected: string;
  /** The types of text parts. */
  readonly textTypes: readonly string[];
  /** The types of entries that are no messages, and are left out. Default: none. */
  readonly ignoredTypes?: readonly unknown[];
}

/**
 * The messages of user and assistant in a form of OpenAI's, the parts of each joined by line feeds. Empty instructions are ignored. Whether the messages
 * make a conversation is not checked here.
 *
 * @throws RequestError `invalid_field`; `unsupported_field` for instructions, for messages of tools, and for images and other parts.
 */
export function readMessages(messages: unknown, form: MessageForm): Message[] {
  if (!Array.isArray(messages)) throw invalid(form.field, messages, form.expected);
  return messages.flatMap((message: unknown, index) => readMessage(message, `${form.field}.${index}`, form) ?? []);
}

/** `undefined` for empty instructions. */
function readMessage(message: unknown, path: string, form: MessageForm): Message | undefined {
  if (!isObject(message)) throw invalid(path, message, 'an object with role and content');
  const [type = 'message', role] = [own(message, 'type') ?? undefined, own(message, 'role')];
  if (form.ignoredTypes?.includes(type)) return undefined;
  if (type !== 'message' || OF_TOOLS.includes(role)) throw unsupportedMessage(form);
  const isInstruction = INSTRUCTIONS.includes(role);
  if (role !== 'user' && role !== 'assistant' && !isInstruction) throw invalid(`${path}.role`, role, ROLES);
  const content = textOf(own(message, 'content'), `${path}.content`, form);
  if (role === 'user' || role === 'assistant') return { role, content };
  if (content.trim() !== '') throw unsupportedMessage(form);
  return undefined;
}

const ROLES = '"user" or "assistant"';
const INSTRUCTIONS: readonly unknown[] = ['system', 'developer'];
const OF_TOOLS: readonly unknown[] = ['tool', 'function'];
const CONTENT = 'a string or an array of text parts';

function textOf(content: unknown, path: string, form: MessageForm): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw invalid(path, content, CONTENT);
  return content.map((part: unknown, index) => textOfPart(part, `${path}.${index}`, form)).join('\n');
}

function textOfPart(part: unknown, path: string, form: MessageForm): string {
  const [textType = ''] = form.textTypes;
  if (!isObject(part)) throw invalid(path, part, `an object such as {"type":"${textType}","text":"…"}`);
  const type = own(part, 'type');
  if (typeof type !== 'string') throw invalid(`${path}.type`, type, `"${textType}"`);
  if (!form.textTypes.includes(type)) throw unsupportedMessage(form);
  const text = own(part, 'text');
  if (typeof text !== 'string') throw invalid(`${path}.text`, text, 'a string');
  return text;
}

/** The field's own value: a polluted prototype must not add fields. */
export function own(body: JsonObject, field: string): unknown {
  return Object.hasOwn(body, field) ? body[field] : undefined;
}

/** Clients send empty objects, lists and texts in fields that they do not use. */
export function isNothing(value: unknown): boolean {
  return (value ?? '') === '' || (typeof value === 'object' && Object.keys(value as object).length === 0);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unsupportedMessage({ field }: MessageForm): RequestError {
  return unsupported(field, `Leave out of ${field} all but the texts of user and assistant.`);
}

export function unsupported(param: string, note: string): RequestError {
  return new RequestError('unsupported_field', { param, note });
}

export function invalid(path: string, found: unknown, expected: string): RequestError {
  return invalidField(path, found === undefined ? `is required: ${expected}` : `must be ${expected}`);
}

export function invalidField(path: string, message: string): RequestError {
  return new RequestError('invalid_field', { param: path, details: { issues: [{ path, message }] } });
}
