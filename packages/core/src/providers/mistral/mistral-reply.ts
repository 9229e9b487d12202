import { z } from 'zod';
import { outcomeCost } from '../../provider-kit/compose-answer.js';
import type { OutcomeCost } from '../../provider-kit/provider.js';
import { optional, textFields } from '../../provider-kit/reply-fields.js';
import type { CitedPiece } from '../../text/annotated-text.js';
import { joinSegments } from '../../text/cited-segments.js';
import type { Source } from '../../text/collect-citations.js';
import type { AnnotatedText } from '../../text/rewriter.js';

const chunk = optional.object({
  type: optional.text,
  /** Only of `text`. */
  text: optional.text,
  /** Only of `tool_reference`. */
  ...textFields('url', 'title', 'description'),
});

/** A step of a conversation. Other types may have any values under these names. */
const entry = optional.object({
  type: optional.text,
  /** Only of `tool.execution`. */
  name: optional.text,
  /** Only of `message.output`; a plain text if the message has no references. */
  content: optional.of(z.union([z.string().transform((text) => [{ type: 'text', text }]), z.array(chunk)])),
  model: optional.text,
});

/** A reply of `POST /v1/conversations`. */
export const conversationReply = z.object({
  conversation_id: optional.text,
  outputs: z.array(entry),
  usage: optional.object({
    prompt_tokens: optional.number,
    completion_tokens: optional.number,
    connector_tokens: optional.number,
    /** How often each tool ran, by the name of the tool. */
    connectors: optional.of(z.record(z.string(), optional.number)),
  }),
});

type ConversationReply = z.output<typeof conversationReply>;
type Chunk = z.output<typeof chunk>;

export interface Conversation extends AnnotatedText {
  readonly sources: readonly Source[];
  readonly searches: number;
  readonly cost: OutcomeCost;
  readonly servedModel: string | null | undefined;
}

export function readConversation({ outputs, usage }: ConversationReply): Conversation {
  const cited: Source[] = [];
  const annotated = joinSegments(segmentsOf(outputs).map((chunks) => piecesOf(chunks, cited)));
  const executions = outputs.filter((each) => each?.type === 'tool.execution' && isSearch(each.name ?? '')).length;
  const counts = Object.entries(usage?.connectors ?? {}).map(([name, count]) => (isSearch(name) ? (count ?? 0) : 0));
  const searches = counts.reduce((sum, count) => sum + count, 0) || executions;
  return {
    ...annotated,
    sources: cited,
    searches,
    cost: costOf(usage, searches),
    servedModel: outputs.findLast((each) => each?.type === 'message.output')?.model,
  };
}

function isSearch(tool: string): boolean {
  return tool.startsWith('web_search');
}

/** The chunks of the messages between two uses of a tool. */
function segmentsOf(outputs: ConversationReply['outputs']): Chunk[][] {
  const segments: Chunk[][] = [[]];
  for (const each of outputs) {
    if (each?.type === 'tool.execution') segments.push([]);
    else if (each?.type === 'message.output') {
      const segment = segments.at(-1);
      if (segment && segment.length > 0) segment.push({ type: 'text', text: '\n\n' });
      segment?.push(...(each.content ?? []));
    }
  }
  return segments;
}

/** Texts, each with the references that follow it. References are added to `cited`. */
function piecesOf(chunks: readonly Chunk[], cited: Source[]): CitedPiece[] {
  const pieces: { text: string; positions: number[] }[] = [];
  for (const each of chunks) {
    if (each?.type === 'text') pieces.push({ text: each.text ?? '', positions: [] });
    if (each?.type !== 'tool_reference' || !each.url) continue;
    const position = cited.push({ url: each.url, title: each.title, snippet: each.description });
    pieces.at(-1)?.positions.push(position);
  }
  return pieces;
}

/**
 * The usage of a conversation. Tokens that a search brings in are counted as other input, which is usual but not documented (2026-11-20, low confidence).
 * If all figures are 0 (seen 2026-08), the usage is unknown.
 */
function costOf(usage: ConversationReply['usage'], searches: number): OutcomeCost {
  if (!usage?.prompt_tokens || !usage.completion_tokens) return {};
  return outcomeCost(undefined, {
    inputTokens: usage.prompt_tokens + (usage.connector_tokens ?? 0),
    outputTokens: usage.completion_tokens,
    searches,
  });
}
