import { z } from 'zod';
import { reduceChat, withoutThoughts } from '../../provider-kit/chat-completion.js';
import { assertComplete, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { finishOfWord } from '../../provider-kit/finish-words.js';
import { jsonAnswer } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection } from '../../provider-kit/provider.js';
import type { CreateReducer, JsonObject } from '../../provider-kit/reduce-stream.js';
import { anyText, optional, textFields } from '../../provider-kit/reply-fields.js';
import { reportedError } from '../../provider-kit/upstream-failure.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_CITATIONS } from '../../text/reply-limits.js';
import { EXA, exaSearch } from './exa-ports.js';

const citationList = optional.list(z.object(textFields('id', 'url', 'title', 'text')));
const answerReply = z.object({
  requestId: optional.text,
  answer: anyText,
  citations: citationList,
  costDollars: optional.object({ total: optional.amount }),
  /** Only of a stream: see {@link reduceExaStream}. */
  finish_reason: optional.text,
});

/**
 * Asks `POST /answer` (as seen 2026-08-27, documented 2026-11-20). Exa always searches before it answers, so a reply without citations is an
 * answer too: the search found nothing worth citing.
 *
 * @param snippets asks for the text of every cited page. The beginning of the text becomes the snippet.
 */
export function exaAnswer(connection: Connection, snippets: boolean): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    ...EXA,
    path: '/answer',
    reply: answerReply,
    // A whole reply has no finish reason.
    completeness: ({ finish_reason }) => (finish_reason ? finishOfWord(finish_reason) : 'complete'),
    reduce: reduceExaStream,
    streamField: 'stream',
    request: ({ query, search, responseFormat }) => ({
      query,
      text: snippets,
      ...(search && exaSearch(search)),
      ...(responseFormat && { outputSchema: responseFormat.schema }),
    }),
    outcome({ body, finish, failure }, { responseFormat }) {
      const cost = outcomeCost(body.costDollars?.total);
      assertComplete({ finish, failure }, cost);
      const sources = sourcesOf(body.citations);
      const text = withoutThoughts(body.answer);
      return composeAnswer({ text, json: responseFormat && text, sources, cost, upstreamRequestId: body.requestId });
    },
  });
}

/** Citation markers count this list from 1; `id` is the page's URL again. */
function sourcesOf(citations: z.output<typeof citationList>): Source[] {
  return citations.map(({ id, url, title, text }) => ({ url: url ?? id, title, snippet: text }));
}

/**
 * Reduces chunks of a chat completion that also have citations (documented 2026-11). The last chunk has `costDollars` (SDK 2.27.0, medium confidence).
 * Whether it has a `finish_reason` is not documented, so either field ends the stream. Whether a later list of citations continues or repeats the list
 * before is not documented, so both are read. A whole reply is returned without change.
 */
const reduceExaStream: CreateReducer = (live) => {
  const listed: unknown[] = [];
  let whole: JsonObject | undefined;
  const completion = reduceChat({
    isLast: ({ costDollars }) => (costDollars ?? null) !== null,
    sources({ citations }) {
      if (!Array.isArray(citations)) return [];
      const list: unknown[] = citations;
      const goesOn = listed.length === 0 || JSON.stringify(list[0]) !== JSON.stringify(listed[0]);
      const fresh = (goesOn ? list : list.slice(listed.length)).slice(0, Math.max(0, MAX_CITATIONS - listed.length));
      listed.push(...fresh);
      return sourcesOf(citationList.parse(fresh));
    },
  })(live);
  return {
    push(event) {
      if (typeof event['answer'] === 'string') whole = event;
      else completion.push(event);
    },
    isWhole: (end) => whole !== undefined || completion.isWhole(end),
    end() {
      if (whole !== undefined) return whole;
      const reduced = completion.end();
      if (reportedError(reduced) !== undefined) return reduced;
      const { choices, ...others } = reduced as { choices: [{ finish_reason: unknown; message: { content: string } }] };
      const [{ finish_reason, message }] = choices;
      return { ...others, citations: listed, answer: message.content, finish_reason };
    },
  };
};
