import { UpstreamError } from '../base/errors/upstream-error.js';
import type { Message } from '../base/message.js';
import { hasMoreCharacters } from '../base/options/characters.js';
import type { ModelRow } from '../catalog/model-entry.js';
import type { ProviderQuestion } from './provider.js';

type Conversation = Pick<ProviderQuestion, 'query' | 'earlier'>;

/** The messages of a call, as in chat completions: the query is the last. */
export function messagesOf({ query, earlier = [] }: Conversation): readonly Message[] {
  return [...earlier, { role: 'user', content: query }];
}

/** The input of a call, as in the Responses API: the query alone, or typed messages. */
export function inputOf(call: Conversation, type = 'message'): string | readonly object[] {
  return call.earlier === undefined ? call.query : messagesOf(call).map((message) => ({ type, ...message }));
}

/** The system text of a call: our own instruction first, then the caller's. `undefined` without either. */
export function systemText({ instructions }: Pick<ProviderQuestion, 'instructions'>, own?: string): string | undefined {
  return own === undefined || instructions === undefined ? (own ?? instructions) : `${own}\n\n${instructions}`;
}

/** {@link messagesOf}, behind the {@link systemText} as the first message. */
export function withSystemText(
  call: Conversation & Pick<ProviderQuestion, 'instructions'>,
  own?: string,
): readonly { readonly role: string; readonly content: string }[] {
  const content = systemText(call, own);
  return content === undefined ? messagesOf(call) : [{ role: 'system', content }, ...messagesOf(call)];
}

/**
 * The limit of output tokens to send: the smaller of the caller's and `most`, the operator's.
 *
 * @param least the smallest limit that the vendor takes; a smaller limit is raised to it.
 */
export function outputLimit(
  { maxOutputTokens }: Pick<ProviderQuestion, 'maxOutputTokens'>,
  most: number,
  least = 1,
): number {
  return Math.max(least, Math.min(maxOutputTokens ?? most, most));
}

/** The name of a model at the provider: the part of the slug behind the slash. */
export function modelName({ slug }: ModelRow): string {
  return slug.slice(slug.indexOf('/') + 1);
}

/**
 * Refuses a question that is too long for a provider, before it is sent and paid for. Characters are Unicode code points,
 * as the vendors' servers count them.
 *
 * @throws UpstreamError `query_rejected`, phase `connect`: a fallback is tried next.
 */
export function assertQueryFits(query: string, maxCharacters: number): void {
  if (!hasMoreCharacters(query, maxCharacters)) return;
  const detail = `the query is longer than the ${maxCharacters} characters that the provider takes`;
  throw new UpstreamError('query_rejected', { phase: 'connect', detail });
}
