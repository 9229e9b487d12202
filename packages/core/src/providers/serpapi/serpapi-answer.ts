import { z } from 'zod';
import { composeAnswer } from '../../provider-kit/compose-answer.js';
import type { FinishReason } from '../../provider-kit/evidence.js';
import { assertComplete, assertSearched } from '../../provider-kit/finish-reason.js';
import type { AnswerAdapter } from '../../provider-kit/provider.js';
import type { Connection } from '../../provider-kit/provider-settings.js';
import { queryEndpoint } from '../../provider-kit/query-endpoint.js';
import { optionalList, optionalNumber, optionalText } from '../../provider-kit/reply-fields.js';
import { joinCited } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';
import { piecesOf, textBlock } from './serpapi-blocks.js';
import { SERPAPI_ERRORS } from './serpapi-errors.js';
import { serpapiSearch } from './serpapi-search.js';

const aiModeReply = z.object({
  search_metadata: z.object({ id: optionalText, status: optionalText }).nullish().catch(null),
  error: optionalText,
  /** Since 2026-02. Ends with a list of the references. */
  reconstructed_markdown: optionalText,
  text_blocks: optionalList(textBlock).catch([]),
  references: optionalList(
    z.object({ index: optionalNumber, link: optionalText, title: optionalText, snippet: optionalText }),
  ),
});

type Reply = z.output<typeof aiModeReply>;

/** A search is queued, then processing, and ends as a success or an error (serpapi.com/search-archive-api). */
function finishOf({ error, search_metadata }: Reply): FinishReason {
  const status = search_metadata?.status;
  if (!error && !status) return 'unproven';
  return !error && status === 'Success' ? 'complete' : 'failed';
}

/**
 * Asks `GET /search.json` for Google's AI Mode (as documented 2026-07-16, recorded 2026-09-27). An answer that names no references is the model's memory.
 *
 * @param defaults parameters of every request, by SerpApi's names; what the caller asks of the search comes before them.
 */
export function serpapiAnswer(connection: Connection, defaults: Readonly<Record<string, string>>): AnswerAdapter {
  const ask = queryEndpoint(connection, {
    path: '/search.json',
    keyParameter: 'api_key',
    errors: SERPAPI_ERRORS,
    reply: aiModeReply,
    evidence: finishOf,
  });
  return {
    async answer({ query, search }, context) {
      const question = { engine: 'google_ai_mode', q: query };
      const { body, finish, failure } = await ask(
        { ...question, ...defaults, ...(search && serpapiSearch(search)) },
        context,
      );
      assertComplete({ finish, failure }, {});
      assertSearched(body.references.length > 0, failure, {});
      return composeAnswer({ ...textAndSources(body), cost: {}, upstreamRequestId: body.search_metadata?.id });
    },
  };
}

/** Markers of the Markdown are the references' own numbers, which begin with 0; those we write ourselves begin with 1. */
function textAndSources({ reconstructed_markdown, text_blocks, references }: Reply) {
  const text = withoutReferenceList(reconstructed_markdown ?? '').trim();
  // A number begins with 0 even where its reference cannot be read.
  if (text !== '') return { text, sources: [...sourcesOf(references, 0), { id: 0 }] };
  return { ...joinCited(piecesOf(text_blocks)), sources: sourcesOf(references, 1) };
}

function sourcesOf(references: Reply['references'], first: number): Source[] {
  return references.map(({ index, link, title, snippet }, position) => ({
    id: (index ?? position) + first,
    url: link,
    title: unescaped(title ?? ''),
    snippet: unescaped(snippet ?? ''),
  }));
}

const LIST_HEADING = '\n### References\n';

function withoutReferenceList(markdown: string): string {
  const end = markdown.lastIndexOf(LIST_HEADING);
  return end !== -1 && /^\s*\[\d+\] /.test(markdown.slice(end + LIST_HEADING.length))
    ? markdown.slice(0, end)
    : markdown;
}

/** Snippets can be escaped once too often: `\u0026` and `\n` to the letter (recorded 2026-09-27). */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|n)/gi, (_, code?: string) =>
    code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
