import {
  InvalidPromptError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';

type UserContent = Extract<LanguageModelV4Prompt[number], { role: 'user' }>['content'];

/**
 * The question of a call: the text of its only message. Whatever a gateway could only ignore is refused, because the answer would not be to
 * what was asked.
 *
 * @throws UnsupportedFunctionalityError for tools, structured output, files, and any other message.
 * @throws InvalidPromptError for a prompt without text.
 */
export function readQuery({ prompt, tools, responseFormat }: LanguageModelV4CallOptions): string {
  if (tools !== undefined && tools.length > 0) refuse('tools');
  if (responseFormat?.type === 'json') refuse('structured output');
  const others = prompt.filter(({ role }) => role !== 'user');
  const [other] = others;
  if (other !== undefined) refuse(`${other.role} messages`);
  if (prompt.length > 1) refuse('several user messages');
  const content = prompt.flatMap((message) => (message.role === 'user' ? message.content : []));
  const query = content.map(textOf).join('\n');
  if (query.trim() !== '') return query;
  throw new InvalidPromptError({ prompt, message: 'Searchgate answers one user message, and this one has no text.' });
}

function textOf(part: UserContent[number]): string {
  return part.type === 'text' ? part.text : refuse('files');
}

function refuse(functionality: string): never {
  const message = `Searchgate answers the text of one user message, without ${functionality}.`;
  throw new UnsupportedFunctionalityError({ functionality, message });
}
