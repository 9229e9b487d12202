import type { Message } from '../base/message.js';
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
