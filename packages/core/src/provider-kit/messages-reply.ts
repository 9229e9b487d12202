import { z } from 'zod';
import type { NanoUsd } from '../base/money.js';
import type { CitedPiece } from '../text/annotated-text.js';
import { joinSegments } from '../text/cited-segments.js';
import type { Source } from '../text/collect-citations.js';
import type { AnnotatedText } from '../text/rewriter.js';
import { outcomeCost } from './compose-answer.js';
import type { OutcomeCost } from './provider.js';
import { optional, textFields } from './reply-fields.js';

const usage = z.object({
  input_tokens: optional.number,
  output_tokens: optional.number,
  cache_read_input_tokens: optional.number,
  cache_creation_input_tokens: optional.number,
  cache_creation: optional.object({ ephemeral_1h_input_tokens: optional.number }),
  server_tool_use: optional.object({ web_search_requests: optional.number }),
});

/** A reply of `POST /v1/messages`, by Anthropic and vendors with the same API. */
export const messageReply = z.object({
  ...textFields('id', 'model'),
  /** Unchanged: a paused turn is continued with exactly these blocks. */
  content: z.array(z.unknown()),
  stop_reason: optional.text,
  stop_details: optional.object({ category: optional.text }),
  usage: optional.of(usage),
});

const citedPage = optional.object(textFields('url', 'title', 'cited_text'));
const page = optional.object({ url: optional.text, title: optional.text });

/** The pages that a search found, or its error. */
const searchOutcome = z.union([
  z.array(page).transform((pages) => ({ pages, error: null })),
  z
    .object({ error_code: optional.text })
    .transform(({ error_code }) => ({ pages: null, error: error_code ?? 'no error code' })),
]);

/** One step of a turn. In types that are not used here, these fields may have any value. */
const block = optional.object({
  type: optional.text,
  /** Of `text`. */
  text: optional.text,
  citations: optional.of(z.array(citedPage)),
  /** Of `web_search_tool_result`. */
  content: optional.of(searchOutcome),
});

type Block = z.output<typeof block>;
type TextBlock = NonNullable<Block>;

/** The content of a whole turn. */
export interface Turn extends AnnotatedText {
  readonly sources: readonly Source[];
  readonly searches: number;
  /** The error of the first failed search; `null` when no search failed. */
  readonly searchError: string | null;
}

/** Reads a turn from the blocks of all its rounds. */
export function readTurn(content: readonly unknown[]): Turn {
  const blocks = content.map((each) => block.parse(each));
  const outcomes = blocks.flatMap((each) =>
    each?.type === 'web_search_tool_result' && each.content ? [each.content] : [],
  );
  const found = outcomes.flatMap(sourcesFound);
  const titles = new Map(found.map(({ url, title }) => [url, title]));
  const cited: Source[] = [];
  const cite = ({ text, citations }: TextBlock): CitedPiece => ({
    text: text ?? '',
    positions: (citations ?? []).flatMap((each) => {
      const source = sourceOf(each, titles);
      return source === undefined ? [] : cited.push(source);
    }),
  });
  return {
    ...joinSegments(segmentsOf(blocks).map((segment) => segment.map(cite))),
    // Found pages have only an address and a title. They are the sources of an answer that cites no page.
    sources: cited.length > 0 ? cited : found,
    searches: outcomes.filter(({ pages }) => pages !== null).length,
    searchError: outcomes.find(({ error }) => error !== null)?.error ?? null,
  };
}

type Titles = ReadonlyMap<Source['url'], Source['title']>;

/** @param titles of the found pages. */
function sourceOf(cited: z.output<typeof citedPage>, titles: Titles): Source | undefined {
  if (!cited?.url) return undefined;
  return { url: cited.url, title: cited.title || titles.get(cited.url), snippet: cited.cited_text };
}

function sourcesFound({ pages }: z.output<typeof searchOutcome>): Source[] {
  return (pages ?? []).map((each) => ({ url: each?.url, title: each?.title }));
}

/** The source of a single citation; `undefined` when it names no page. */
export function citedSource(citation: unknown, titles: Titles): Source | undefined {
  return sourceOf(citedPage.parse(citation), titles);
}

/** The pages in the result of a search. */
export function foundSources(result: unknown): readonly Source[] {
  const outcome = block.parse(result)?.content;
  return outcome ? sourcesFound(outcome) : [];
}

/** Whether a block ends the segment of text before it. Blocks of thoughts do not. */
export function isOfTool(type: string): boolean {
  return /tool_(?:use|result)$/.test(type);
}

/** The blocks of text between two uses of a tool. */
function segmentsOf(blocks: readonly Block[]): TextBlock[][] {
  const segments: TextBlock[][] = [[]];
  for (const each of blocks) {
    if (each?.type === 'text') segments.at(-1)?.push(each);
    else if (isOfTool(each?.type ?? '')) segments.push([]);
  }
  return segments;
}

type Usage = z.output<typeof messageReply>['usage'];

/** The billed tokens of one request. */
export interface BilledTokens {
  /** Includes cached tokens. */
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

/**
 * The cost of a turn's rounds. A token written to the cache costs more than an input token (1.25 times for five minutes, twice for an hour), so it counts
 * as 1.25 or 2 input tokens. If a round reports no tokens, the cost is unknown.
 *
 * @param searches seen in the blocks, used when the vendor reports no searches.
 * @param feesOf gives the cost of one round beyond the rates of the price row.
 */
export function turnCost(
  rounds: readonly Usage[],
  searches: number,
  feesOf: (tokens: BilledTokens) => NanoUsd,
): OutcomeCost {
  const billed = rounds.map((used): BilledTokens => {
    const written = used?.cache_creation_input_tokens ?? 0;
    const forAnHour = used?.cache_creation?.ephemeral_1h_input_tokens ?? 0;
    const cachedInput = used?.cache_read_input_tokens ?? 0;
    const input = (used?.input_tokens ?? 0) + cachedInput + 1.25 * (written - forAnHour) + 2 * forAnHour;
    return { input, cachedInput, output: used?.output_tokens ?? 0 };
  });
  if (billed.some(({ input, output }) => input <= 0 || output <= 0)) return {};
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const otherFees = billed.reduce((fees, tokens) => fees + feesOf(tokens), 0n);
  return outcomeCost(undefined, {
    inputTokens: sum(billed.map(({ input }) => input)),
    cachedInputTokens: sum(billed.map(({ cachedInput }) => cachedInput)),
    outputTokens: sum(billed.map(({ output }) => output)),
    // Failed searches are free, so the vendor's count is better than ours.
    searches: sum(rounds.map((used) => used?.server_tool_use?.web_search_requests ?? 0)) || searches,
    otherFees: otherFees === 0n ? undefined : otherFees,
  });
}
