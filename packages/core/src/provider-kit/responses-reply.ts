import { z } from 'zod';
import { joinAnnotated } from '../text/annotated-text.js';
import type { AnnotatedText } from '../text/rewriter.js';
import type { FinishReason } from './completeness.js';
import type { ReportedUsage } from './compose-answer.js';
import { looseList, optional, textFields } from './reply-fields.js';

const annotation = z.object({
  ...textFields('type', 'url', 'title'),
  start_index: optional.number,
  end_index: optional.number,
});
/** The annotations of a part. */
export const responsesAnnotations = optional.of(looseList(annotation));

const part = z.object({
  ...textFields('type', 'text', 'refusal'),
  annotations: responsesAnnotations,
});

/**
 * One step of a run. In types that are not used here, these fields may have any value. Extend it with a provider's additional
 * fields.
 */
export const responsesItem = z.object({
  ...textFields('type', 'status'),
  /** Of `message`. */
  content: optional.of(looseList(part)),
  /** Of `message`: `commentary` or `final_answer`, at models that report it. */
  phase: optional.text,
  /** Of `web_search_call`. */
  action: optional.object({ type: optional.text }),
});

/** The usage of a run. Extend it too. */
export const responsesUsage = z.object({
  input_tokens: optional.number,
  input_tokens_details: optional.object({ cached_tokens: optional.number, cache_write_tokens: optional.number }),
  output_tokens: optional.number,
});

/** A reply in the form of OpenAI's Responses API, which other vendors use too. Extend it with a provider's additional fields. */
export const responsesReply = z.object({
  ...textFields('id', 'model', 'status'),
  /** Of any type: its presence means that a part of the answer is missing. */
  incomplete_details: z.object({ reason: optional.text }).nullish().catch({}),
  output: looseList(responsesItem).nullable(),
  usage: optional.of(responsesUsage),
});

export type ResponsesPart = z.output<typeof part>;
/** The fields of a Responses reply that adapters read. */
export type ResponsesReply = z.output<typeof responsesReply>;

/** The fields of a reply that are read here, for replies whose items have more fields. */
export type ReadableReply = Pick<ResponsesReply, 'status' | 'incomplete_details' | 'output'>;

/** The parts of the answer's text, message by message, without comments that precede a final answer. */
export function textPartsOf({ output }: ReadableReply): ResponsesPart[][] {
  const messages = (output ?? []).filter(({ type }) => type === 'message');
  const isFinal = messages.some(({ phase }) => phase === 'final_answer');
  return messages
    .filter(({ phase }) => !(isFinal && phase === 'commentary'))
    .map(({ content }) => (content ?? []).filter(({ type }) => type === 'output_text'))
    .filter((parts) => parts.some(({ text }) => (text ?? '') !== ''));
}

/** Writes and joins the parts: the parts of one message without a separator, messages as paragraphs. */
export function joinMessages(
  messages: readonly (readonly ResponsesPart[])[],
  write: (part: ResponsesPart) => AnnotatedText,
): AnnotatedText {
  return joinAnnotated(
    messages.map((parts) => joinAnnotated(parts.map(write))),
    '\n\n',
  );
}

/**
 * How the run ended, by its `status`, which is the evidence. Runs that failed, were truncated or are still running come with HTTP 200 too. A refusal
 * in a reply with an answer is part of the answer.
 */
export function finishReasonOf(reply: ReadableReply): FinishReason {
  const { status, incomplete_details, output } = reply;
  const isRefusal = (output ?? []).some(({ content }) => content?.some(({ type }) => type === 'refusal') === true);
  if (status === 'completed' && !isCut(reply))
    return isRefusal && textPartsOf(reply).length === 0 ? 'refused' : 'complete';
  if (isRefusal || incomplete_details?.reason === 'content_filter') return 'refused';
  if (!status) return 'unproven';
  if (status !== 'incomplete' && status !== 'completed') return 'failed';
  // Others are limits of the vendor, such as `turn_limit` (@langchain/xai) and `max_messages` (SDK 7.59.0; both read 2026-11-29).
  return incomplete_details?.reason === 'max_output_tokens' ? 'truncated' : 'cut';
}

/** Whether a run with the status `completed` reports in another field that a part of the answer is missing. */
function isCut({ incomplete_details = null, output }: ReadableReply): boolean {
  const isOpen = ({ type, status }: NonNullable<ReadableReply['output']>[number]) =>
    type === 'message' && (status ?? 'completed') !== 'completed';
  return incomplete_details !== null || (output ?? []).some(isOpen);
}

/**
 * Whether a step of a run that has ended is a web search that has run. Some replies are complete, and their search still says `searching`: its status is out
 * of date (2026-11-28).
 */
export function isSearch({ type, status }: { readonly type?: unknown; readonly status?: unknown }): boolean {
  return type === 'web_search_call' && (status == null || status === 'completed' || status === 'searching');
}

/** The number of web searches that have run. Opening or reading a page is no search, but old replies do not distinguish the two. */
export function searchesOf({ status: end, output }: ReadableReply): number {
  const searches = (output ?? []).filter(
    (step) =>
      isSearch(step) &&
      (step.status !== 'searching' || end === 'completed') &&
      (step.action?.type ?? 'search') === 'search',
  );
  return searches.length;
}

/** The tokens used, by their common names. */
export function tokensOf({ usage: used }: Pick<ResponsesReply, 'usage'>): ReportedUsage {
  return {
    inputTokens: used?.input_tokens,
    cachedInputTokens: used?.input_tokens_details?.cached_tokens,
    outputTokens: used?.output_tokens,
  };
}

/** The text of a reply as it came, with what the vendor wrote into it. */
export function plainTextOf(reply: ReadableReply): string {
  const parts = textPartsOf(reply).flat();
  return parts.map(({ text }) => text ?? '').join('');
}
