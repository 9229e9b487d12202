import { z } from 'zod';
import { reduceChat } from '../../provider-kit/chat-completion.js';
import { assertComplete, composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { finishOfWord } from '../../provider-kit/finish-words.js';
import { jsonAnswer, jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import type { CreateReducer, JsonObject } from '../../provider-kit/reduce-stream.js';
import { anyText, optional, textFields } from '../../provider-kit/reply-fields.js';
import { reportedError } from '../../provider-kit/upstream-failure.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_CITATIONS } from '../../text/reply-limits.js';
import { EXA, exaExtractPort, exaSearch, exaSearchPort } from './exa-ports.js';

import rows from './models.json' with { type: 'json' };

const page = z.object({ url: optional.text, title: optional.text });

const deepReply = z.object({
  requestId: optional.text,
  output: z.object({
    content: anyText,
    grounding: optional.list(z.object({ citations: optional.list(page).catch([]) })),
  }),
  results: optional.list(page.extend({ highlights: optional.texts })),
  costDollars: optional.object({ total: optional.amount }),
});

/** Asks `POST /search` for a synthesized text (as documented 2026-11-20). It replaces `/research`, which Exa retired on 2026-05-01. */
function exaDeepAnswer(connection: Connection): AnswerAdapter {
  const ask = jsonEndpoint(connection, { ...EXA, path: '/search', reply: deepReply, completeness: 'valid JSON' });
  return {
    async answer({ model, query, search, responseFormat, instructions }, context) {
      const { body } = await ask(
        {
          query,
          // Guides the text, and the search as well (SDK 2.23.0, read 2026-11-29).
          systemPrompt: instructions,
          type: model.slug.replace('exa/answer-', ''),
          // Of a schema Exa takes two levels and ten properties.
          outputSchema: responseFormat?.schema ?? { type: 'text' },
          contents: { highlights: true },
          ...(search && exaSearch(search)),
        },
        context,
      );
      const grounds = body.output.grounding.flatMap(({ citations }) => citations);
      const results = body.results.map(({ url, title, highlights }) => ({ url, title, snippet: highlights?.[0] }));
      return composeAnswer({
        text: body.output.content,
        json: responseFormat && body.output.content,
        // First the pages that the text cites, then the other results. Texts with citation markers have not been seen, and no documentation says which of
        // the two lists markers count (low confidence).
        sources: [...grounds, ...results],
        cost: outcomeCost(body.costDollars?.total),
        upstreamRequestId: body.requestId,
      });
    },
  };
}

/** The settings of `exa()`. */
export interface ExaSettings extends ProviderSettings {
  /**
   * Asks `exa/answer` for the text of each cited page, to give citations a snippet. Replies grow from a few to some hundred
   * kilobytes, and whether Exa charges for the text is not documented (2026-11-20). The charge follows the cost that Exa reports.
   * Default `false`.
   */
  readonly snippets?: boolean | undefined;
}

/**
 * Exa (exa.ai). Its rate limits hold for the whole team behind a key: 10 answers a second at the time of writing.
 *
 * @throws ConfigurationError when a setting is wrong.
 */
export const exa: (settings: ExaSettings) => Provider = defineProvider({
  id: 'exa',
  name: 'Exa',
  baseUrl: 'https://api.exa.ai',
  models: rows,
  byName: ['search'],
  settings: { snippets: z.boolean('true or false').default(false) },
  ports(connection, { snippets }) {
    const plain = exaAnswer(connection, snippets);
    const deep = exaDeepAnswer(connection);
    return {
      answer: {
        answer: (call, context) => (call.model.slug === 'exa/answer' ? plain : deep).answer(call, context),
        stream: plain.stream,
      },
      search: exaSearchPort(connection),
      extract: { maxUrls: 20, extract: exaExtractPort(connection) },
    };
  },
});

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
function exaAnswer(connection: Connection, snippets: boolean): Required<AnswerAdapter> {
  return jsonAnswer(connection, {
    ...EXA,
    path: '/answer',
    reply: answerReply,
    // A whole reply has no finish reason.
    completeness: ({ finish_reason }) => (finish_reason ? finishOfWord(finish_reason) : 'complete'),
    reduce: reduceExaStream,
    streamField: 'stream',
    request: ({ query, search, responseFormat, instructions }) => ({
      query,
      // SDK 2.23.0, read 2026-11-29.
      systemPrompt: instructions,
      text: snippets,
      ...(search && exaSearch(search)),
      ...(responseFormat && { outputSchema: responseFormat.schema }),
    }),
    outcome({ body, finish, failure }, { responseFormat }) {
      const cost = outcomeCost(body.costDollars?.total);
      assertComplete({ finish, failure }, cost);
      const sources = sourcesOf(body.citations);
      const text = body.answer;
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
