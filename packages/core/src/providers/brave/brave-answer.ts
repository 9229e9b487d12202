import { chatCompletion, chatFinish, readChatCompletion } from '../../provider-kit/chat-completion.js';
import { composeAnswer, outcomeCost, type ReportedUsage } from '../../provider-kit/compose-answer.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import { jsonAnswer } from '../../provider-kit/json-answer.js';
import { keyHeader } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { BRAVE_ERRORS } from './brave-errors.js';
import { reduceBraveStream } from './brave-stream.js';
import { readTags, type TaggedText } from './brave-tags.js';

/**
 * Asks `POST /res/v1/chat/completions` (as documented 2026-04, captured 2026-10-03). Brave cites only in streams, and takes exactly one message.
 *
 * @param defaults fields of every request, by Brave's names; what the caller asks of the search comes before them.
 */
export function braveAnswer(connection: Connection, defaults: object): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    path: '/res/v1/chat/completions',
    authorize: keyHeader('x-subscription-token'),
    errors: BRAVE_ERRORS,
    reply: chatCompletion,
    evidence: chatFinish,
    reduce: reduceBraveStream,
    request({ query, search }) {
      const fields = search?.country === undefined ? defaults : { ...defaults, country: search.country };
      const messages = [{ role: 'user', content: query }];
      return { model: 'brave', messages, stream: true, enable_citations: true, ...fields };
    },
    numbersAreWords: true,
    outcome({ body, finish, failure }) {
      const reply = readChatCompletion(body);
      const { text, marks, sources, usage } = readTags(reply.text);
      const cost = outcomeCost(usage['X-Request-Total-Cost'], billedUsage(usage, reply.usage));
      assertComplete({ finish, failure }, cost);
      // The search is part of the product. Only a reply that says itself that there was none is not grounded: questions in other languages than English
      // often bring no citations although pages were read (measured 2026-09).
      assertSearched(sources.length > 0 || usage['X-Request-Queries'] !== 0, failure, cost);
      return composeAnswer({ text, marks, sources, cost, upstreamRequestId: body.id, servedModel: body.model });
    },
  });
}

/** What is billed by our price row when no total is reported. Without a count, one search; but never a search alone, since the pages it reads cost far more. */
function billedUsage(reported: TaggedText['usage'], { inputTokens, outputTokens }: ReportedUsage): ReportedUsage {
  const tokensIn = reported['X-Request-Tokens-In'] ?? inputTokens;
  return {
    inputTokens: tokensIn,
    outputTokens: reported['X-Request-Tokens-Out'] ?? outputTokens,
    searches: typeof tokensIn === 'number' ? (reported['X-Request-Queries'] ?? 1) : undefined,
  };
}
