import { type JsonObject, RequestError } from '@searchgate/core/extensions';

interface Message {
  readonly role: (typeof ROLES)[number];
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

/** The texts of a conversation. */
interface Conversation {
  /** The texts of system and developer, which come first, joined by blank lines. `undefined` for none. */
  readonly instructions: string | undefined;
  /** The messages of user and assistant. Whether they make a conversation is not checked here. */
  readonly messages: readonly Message[];
}

/**
 * The messages of a conversation in a form of OpenAI's, the parts of each joined by line feeds. Empty instructions are ignored.
 *
 * @throws RequestError `invalid_field`; `unsupported_field` for instructions after the first message, for messages of tools, and for images and other parts.
 */
export function readMessages(messages: unknown, form: MessageForm): Conversation {
  if (!Array.isArray(messages)) throw invalid(form.field, messages, form.expected);
  const all = messages.flatMap((message: unknown, index) => readMessage(message, `${form.field}.${index}`, form) ?? []);
  const first = all.filter(isInstruction);
  const others = all.slice(first.length);
  if (others.some(isInstruction)) throw unsupportedMessage(form);
  return { instructions: joined(first.map(({ content }) => content)), messages: others };
}

/** Joins instructions by blank lines. @returns `undefined` where none has a text. */
export function joined(given: readonly unknown[]): string | undefined {
  const texts = given.filter((text) => typeof text === 'string' && text.trim() !== '');
  return texts.join('\n\n') || undefined;
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer';
}

/** `undefined` for empty instructions, and for what the form ignores. */
function readMessage(message: unknown, path: string, form: MessageForm): Message | undefined {
  if (!isObject(message)) throw invalid(path, message, 'an object with role and content');
  const [type = 'message', given] = [own(message, 'type') ?? undefined, own(message, 'role')];
  if (form.ignoredTypes?.includes(type)) return undefined;
  if (type !== 'message' || OF_TOOLS.includes(given)) throw unsupportedMessage(form);
  const role = ROLES.find((each) => each === given);
  if (role === undefined) throw invalid(`${path}.role`, given, '"user", "assistant", "system" or "developer"');
  const read = { role, content: textOf(own(message, 'content'), `${path}.content`, form) };
  return isInstruction(read) && read.content.trim() === '' ? undefined : read;
}

const ROLES = ['user', 'assistant', 'system', 'developer'] as const;
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
  return unsupported(
    field,
    `Leave out of ${field} all but texts of user and assistant, and of system and developer before them.`,
  );
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
