import { z } from 'zod';
import { definedFields } from '../../base/defined-fields.js';
import type { AskedSearch } from '../../base/search-options/asked-search.js';
import type { FinishReason } from '../../provider-kit/completeness.js';
import { assertComplete, assertSearched, composeAnswer } from '../../provider-kit/compose-answer.js';
import type { AnswerAdapter, Connection } from '../../provider-kit/provider.js';
import { queryEndpoint } from '../../provider-kit/query-endpoint.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { type CitedPiece, joinCited } from '../../text/annotated-text.js';
import type { Source } from '../../text/collect-citations.js';

function serpapiSearch({ country, language }: AskedSearch): Record<string, string> {
  return definedFields({ gl: country?.toLowerCase(), hl: language });
}

/**
 * The endpoint of all searches. SerpApi reports its errors only as text, some of them with HTTP 200 (public clients and their recorded replies, read
 * 2026-11-21).
 */
export const SERPAPI = {
  path: '/search.json',
  keyParameter: 'api_key',
  errors: [
    { message: /hasn['’]t returned any results/i, reason: 'no_answer_found' },
    // Out of searches for the month. Other 429s are about the searches of an hour.
    { message: /run out of searches|searches for the month are exhausted/i, reason: 'upstream_quota_exhausted' },
    { message: /invalid api key/i, reason: 'upstream_auth_failed' },
    // Only the query can make the address too long (low confidence: not seen).
    { status: [413, 414, 431], reason: 'query_rejected' },
  ],
} as const;

const cell = z.union([z.string(), z.object({ snippet: optional.text, reference_indexes: optional.numbers })]).catch('');

/** A block of an answer: a paragraph, heading, list, table or code block. New types appear, most of them with a `snippet`. */
interface TextBlock {
  readonly type?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly snippet?: string | null | undefined;
  readonly code?: string | null | undefined;
  readonly list?: readonly TextBlock[] | null | undefined;
  /** The blocks in a foldable block, as in Google's AI Overview (not confirmed for AI Mode, 2026-11-26). */
  readonly text_blocks?: readonly TextBlock[] | null | undefined;
  readonly table?: readonly (readonly z.output<typeof cell>[])[] | null | undefined;
  readonly reference_indexes?: readonly number[] | null | undefined;
}

const textBlock: z.ZodType<TextBlock> = z.object({
  ...textFields('type', 'title', 'snippet', 'code'),
  list: z.lazy(() => optional.of(looseList(textBlock))),
  text_blocks: z.lazy(() => optional.of(looseList(textBlock))),
  table: optional.of(z.array(z.array(cell).catch([]))),
  reference_indexes: optional.numbers,
});

/** The blocks as Markdown, for replies without Markdown. Each piece has the numbers of its references, from 1. */
function piecesOf(blocks: readonly TextBlock[]): CitedPiece[] {
  return blocks.flatMap((block) => [
    ...headOf(block, block.type === 'heading' ? '### ' : ''),
    ...bodyOf(block, ''),
    gap('\n'),
    ...piecesOf(block.text_blocks ?? []),
  ]);
}

function headOf({ title, snippet, reference_indexes }: TextBlock, prefix: string): CitedPiece[] {
  const text = [title, snippet].filter(Boolean).join(': ');
  return text === '' ? [] : [gap(prefix), { text, positions: positionsOf(reference_indexes) }, gap('\n')];
}

function bodyOf({ code, list, table }: TextBlock, indent: string): CitedPiece[] {
  const items = (list ?? []).flatMap((item) => [...headOf(item, `${indent}- `), ...bodyOf(item, `${indent}  `)]);
  const rows = (table ?? [])
    .filter((cells) => cells.length > 0)
    .flatMap((cells, row) => {
      const rule = row === 0 ? `${'| --- '.repeat(cells.length)}|\n` : '';
      return [...cells.flatMap(cellPieces), gap(`|\n${rule}`)];
    });
  return [...(code ? [gap(`\`\`\`\n${code}\n\`\`\`\n`)] : []), ...items, ...rows];
}

function cellPieces(content: z.output<typeof cell>): CitedPiece[] {
  const { snippet, reference_indexes } = typeof content === 'string' ? { snippet: content } : content;
  return [gap('| '), { text: snippet ?? '', positions: positionsOf(reference_indexes) }, gap(' ')];
}

function positionsOf(indexes: TextBlock['reference_indexes']): number[] {
  return (indexes ?? []).map((index) => index + 1);
}

function gap(text: string): CitedPiece {
  return { text, positions: [] };
}

const aiModeReply = z.object({
  search_metadata: optional.object({ id: optional.text, status: optional.text }),
  error: optional.text,
  /** Since 2026-02. Ends with a list of the references. */
  reconstructed_markdown: optional.text,
  text_blocks: optional.list(textBlock).catch([]),
  references: optional.list(
    z.object({ index: optional.number, link: optional.text, title: optional.text, snippet: optional.text }),
  ),
});

type Reply = z.output<typeof aiModeReply>;

/** The status of a search is queued, then processing, then success or error (serpapi.com/search-archive-api). */
function finishOf({ error, search_metadata }: Reply): FinishReason {
  const status = search_metadata?.status;
  if (!error && !status) return 'unproven';
  return !error && status === 'Success' ? 'complete' : 'failed';
}

/**
 * Asks `GET /search.json` for Google's AI Mode (as documented 2026-07-16, recorded 2026-09-27). An answer without references comes from the model's memory.
 *
 * @param defaults parameters of every request, by SerpApi's names. The caller's search options replace them.
 */
export function serpapiAnswer(connection: Connection, defaults: Readonly<Record<string, string>>): AnswerAdapter {
  const ask = queryEndpoint(connection, { ...SERPAPI, reply: aiModeReply, completeness: finishOf });
  return {
    async answer({ query, search }, context) {
      const filters = { ...defaults, ...(search && serpapiSearch(search)) };
      const { body, finish, failure } = await ask({ engine: 'google_ai_mode', q: query, ...filters }, context);
      assertComplete({ finish, failure }, {});
      assertSearched(body.references.length > 0, failure, {});
      return composeAnswer({ ...textAndSources(body), cost: {}, upstreamRequestId: body.search_metadata?.id });
    },
  };
}

/** Citation markers in SerpApi's Markdown count the references from 0; the markers of {@link piecesOf} count from 1. */
function textAndSources({ reconstructed_markdown, text_blocks, references }: Reply) {
  const text = withoutReferenceList(reconstructed_markdown ?? '').trim();
  // The id 0 tells that numbers begin with 0, even if reference 0 cannot be read.
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

/** Some snippets are escaped twice, and so have `\u0026` and `\n` literally (recorded 2026-09-27). */
function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|n)/gi, (_, code?: string) =>
    code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
