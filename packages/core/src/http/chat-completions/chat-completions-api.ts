import type { Clock } from '../../base/time/clock.js';
import type { AnswerApi } from '../answer-api.js';
import { chatErrorHeaders, presentChatError } from './chat-error.js';
import { ChatFormat } from './chat-format.js';
import { chatRequestReader } from './chat-request.js';

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
