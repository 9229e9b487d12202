import { z } from 'zod';
import { joinAnnotated } from '../text/annotated-text.js';
import type { AnnotatedText } from '../text/rewriter.js';
import type { ReportedUsage } from './compose-answer.js';
import type { FinishReason } from './evidence.js';
import { looseList, optionalNumber, optionalText } from './reply-fields.js';

const annotation = z.object({
  type: optionalText,
  url: optionalText,
  title: optionalText,
  start_index: optionalNumber,
  end_index: optionalNumber,
});
/** The annotations of a part. */
export const responsesAnnotations = looseList(annotation).nullish().catch(null);

const part = z.object({
  type: optionalText,
  text: optionalText,
  refusal: optionalText,
  annotations: responsesAnnotations,
});

/**
 * One step of a run. Types that are not used may have anything under these names. To be extended by what else a provider puts into
 * one.
 */
export const responsesItem = z.object({
  type: optionalText,
  status: optionalText,
  /** Of `message`. */
  content: looseList(part).nullish().catch(null),
  /** Of `message`: `commentary` on the way or `final_answer`, at models that tell. */
  phase: optionalText,
  /** Of `web_search_call`. */
  action: z.object({ type: optionalText }).nullish().catch(null),
});

/** What a run used, to be extended too. */
export const responsesUsage = z.object({
  input_tokens: optionalNumber,
  input_tokens_details: z
    .object({ cached_tokens: optionalNumber, cache_write_tokens: optionalNumber })
    .nullish()
    .catch(null),
  output_tokens: optionalNumber,
});

/** A reply in the form of OpenAI's Responses API, which others speak too. To be extended by what else a provider replies. */
export const responsesReply = z.object({
  id: optionalText,
  model: optionalText,
  status: optionalText,
  /** Of any type: what is there says that something is missing. */
  incomplete_details: z.object({ reason: optionalText }).nullish().catch({}),
  output: looseList(responsesItem).nullable(),
  usage: responsesUsage.nullish().catch(null),
});

export type ResponsesPart = z.output<typeof part>;
export type ResponsesReply = z.output<typeof responsesReply>;

/** What is there to read in a reply, whatever else its items hold. */
export type ReadableReply = Pick<ResponsesReply, 'status' | 'incomplete_details' | 'output'>;

/** The parts of the answer's text, message by message, without those that only comment on the way to it. */
export function textPartsOf({ output }: ReadableReply): ResponsesPart[][] {
  const messages = (output ?? []).filter(({ type }) => type === 'message');
  const isFinal = messages.some(({ phase }) => phase === 'final_answer');
  return messages
    .filter(({ phase }) => !(isFinal && phase === 'commentary'))
    .map(({ content }) => (content ?? []).filter(({ type }) => type === 'output_text'))
    .filter((parts) => parts.some(({ text }) => (text ?? '') !== ''));
}

/** Joins a text made of each part: the parts of one message as they are, messages as paragraphs. */
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
 * How the run ended, by its `status`, which is the evidence. Runs that failed, were truncated or are still running come with HTTP 200 as well. A refusal
 * beside an answer is part of the answer.
 */
export function finishReasonOf(reply: ReadableReply): FinishReason {
  const { status, incomplete_details, output } = reply;
  const isRefusal = (output ?? []).some(({ content }) => content?.some(({ type }) => type === 'refusal') === true);
  if (status === 'completed' && !isCut(reply))
    return isRefusal && textPartsOf(reply).length === 0 ? 'refused' : 'complete';
  if (isRefusal || incomplete_details?.reason === 'content_filter') return 'refused';
  if (!status) return 'unproven';
  return status === 'incomplete' || status === 'completed' ? 'truncated' : 'failed';
}

/** Whether a run that calls itself complete says elsewhere that something of the answer is missing. */
function isCut({ incomplete_details = null, output }: ReadableReply): boolean {
  const isOpen = ({ type, status }: NonNullable<ReadableReply['output']>[number]) =>
    type === 'message' && (status ?? 'completed') !== 'completed';
  return incomplete_details !== null || (output ?? []).some(isOpen);
}

/** How many web searches have run. Pages that were opened or looked through are no searches; old replies do not distinguish them. */
export function searchesOf({ output }: ReadableReply): number {
  const searches = (output ?? []).filter(
    ({ type, status, action }) =>
      type === 'web_search_call' && (status ?? 'completed') === 'completed' && (action?.type ?? 'search') === 'search',
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
