import { z } from 'zod';
import { composeAnswer, outcomeCost } from '../../provider-kit/compose-answer.js';
import { defineProvider } from '../../provider-kit/define-provider.js';
import { jsonEndpoint } from '../../provider-kit/json-endpoint.js';
import type { AnswerAdapter, Connection, Provider, ProviderSettings } from '../../provider-kit/provider.js';
import { anyText, optional } from '../../provider-kit/reply-fields.js';
import { exaAnswer } from './exa-answer.js';
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
    async answer({ model, query, search, responseFormat }, context) {
      const { body } = await ask(
        {
          query,
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
