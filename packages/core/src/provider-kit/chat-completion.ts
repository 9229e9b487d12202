import { z } from 'zod';
import type { Source } from '../text/collect-citations.js';
import { JoinedText } from '../text/joined-text.js';
import type { ReportedUsage } from './compose-answer.js';
import type { FinishReason } from './evidence.js';
import type { CreateFold, JsonObject } from './fold-stream.js';
import type { LiveParts } from './live-parts.js';
import { looseList, optionalNumber, optionalText } from './reply-fields.js';

const page = z.object({ url: optionalText, title: optionalText, snippet: optionalText });
const annotation = page.extend({
  type: optionalText,
  /** Where the address is, at those who nest it. */
  url_citation: page.extend({ content: optionalText, exactQuote: optionalText }).nullish().catch(null),
});
const annotationList = looseList(annotation).nullish().catch(null);
const part = z.object({ type: optionalText, text: optionalText });
const replyMessage = z.object({
  content: z.union([z.string(), looseList(part)]).nullish(),
  refusal: optionalText,
  annotations: annotationList,
});
const usage = z.object({
  prompt_tokens: optionalNumber,
  completion_tokens: optionalNumber,
  total_tokens: optionalNumber,
  prompt_tokens_details: z.object({ cached_tokens: optionalNumber }).nullish().catch(null),
});

/**
 * A chat completion as OpenAI made it common, with the lists of sources others have added. To be extended by what else a provider
 * replies: `chatCompletion.extend({ … })`.
 */
export const chatCompletion = z.object({
  id: optionalText,
  model: optionalText,
  choices: z.tuple(
    [z.object({ finish_reason: optionalText, native_finish_reason: optionalText, message: replyMessage })],
    z.unknown(),
  ),
  usage: usage.nullish().catch(null),
  citations: z.array(z.preprocess(asPage, page)).nullish().catch(null),
  search_results: looseList(page).nullish().catch(null),
});

/** Some cite with the address alone. */
function asPage(cited: unknown): unknown {
  return typeof cited === 'string' ? { url: cited } : objectOf(cited);
}

export type ChatCompletion = z.output<typeof chatCompletion>;

/** What a chat completion says, read out of it. */
export interface ChatAnswer {
  /** Without the thoughts some models put in front. */
  readonly text: string;
  /** `null` where the reply has no such list. */
  readonly citations: readonly Source[] | null;
  readonly searchResults: readonly Source[] | null;
  readonly annotations: readonly Source[];
  readonly usage: ReportedUsage;
}

/** The `finish_reason`s of OpenAI and others, and of those behind routers (seen up to 2026-11); any other one is a failure. */
const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ...['stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'complete', 'completed'].map(
    (word) => [word, 'complete'] as const,
  ),
  ...['length', 'max_tokens', 'max_output_tokens', 'model_context_window_exceeded'].map(
    (word) => [word, 'truncated'] as const,
  ),
  ...['content_filter', 'sensitive', 'refusal', 'safety', 'prohibited_content', 'blocklist', 'recitation', 'spii'].map(
    (word) => [word, 'refused'] as const,
  ),
]);

/** How a reply ended by one `finish_reason`. */
export function finishOfWord(word: string | null | undefined): FinishReason {
  return word ? (FINISH_REASONS.get(word.toLowerCase()) ?? 'failed') : 'unproven';
}

/** Words of models for an end in order, such as `FINISH_REASON_STOP`, `end_of_text` or `REASON_STOP`. Their lists are not documented. */
const ENDS_IN_ORDER =
  /(?:^|[_ -])(?:stop|stopped|end|eos|eot|complete|completed|done|finished|normal|success)(?:$|[_ -])/i;

/** How the model behind a router says that it ended. */
function nativeFinish(word: string): FinishReason {
  return FINISH_REASONS.get(word.toLowerCase()) ?? (ENDS_IN_ORDER.test(word) ? 'complete' : 'failed');
}

/**
 * The evidence of a chat completion: its `finish_reason`. A router says `stop` also where the model behind it has broken off, so that a
 * `native_finish_reason` beside it has to say the same.
 */
export function chatFinish({ choices: [choice] }: Pick<ChatCompletion, 'choices'>): FinishReason {
  if (choice.message.refusal) return 'refused';
  const finish = finishOfWord(choice.finish_reason);
  return finish === 'complete' && choice.native_finish_reason ? nativeFinish(choice.native_finish_reason) : finish;
}

/** Reads the first choice of a chat completion. */
export function readChatCompletion(reply: ChatCompletion): ChatAnswer {
  const [{ message }] = reply.choices;
  const { content, annotations } = message;
  const text = typeof content === 'string' ? content : (content ?? []).map((piece) => piece.text ?? '').join('');
  return {
    text: withoutThoughts(text),
    citations: reply.citations ?? null,
    searchResults: reply.search_results ?? null,
    annotations: (annotations ?? []).map(toSource),
    usage: {
      inputTokens: reply.usage?.prompt_tokens,
      cachedInputTokens: reply.usage?.prompt_tokens_details?.cached_tokens,
      outputTokens: reply.usage?.completion_tokens,
    },
  };
}

/** A text without the thoughts that some models put in front, which a stream leaves out too. */
export function withoutThoughts(text: string): string {
  return text.replace(/^\s*<think>[^]*?<\/think>/, '');
}

function toSource({ url_citation: nested, ...flat }: z.output<typeof annotation>): Source {
  return {
    url: nested?.url ?? flat.url,
    title: nested?.title ?? flat.title,
    snippet: nested?.snippet ?? nested?.exactQuote ?? nested?.content ?? flat.snippet,
  };
}

/** The sources among the annotations of one delta, for {@link FoldChatOptions.sources}. */
export function annotatedSources({ annotations }: JsonObject): readonly Source[] {
  return annotations === undefined ? [] : (annotationList.parse(annotations) ?? []).map(toSource);
}

export interface FoldChatOptions {
  /** The sources that a chunk names, in the order of the whole reply's. Default: none before the end. */
  readonly sources?: ((chunk: JsonObject, delta: JsonObject) => readonly Source[]) | undefined;
  /** Whether the usage comes behind the `finish_reason`, so that a stream without it was cut. Default `false`. */
  readonly usageIsLast?: boolean | undefined;
  /** Whether a chunk is the vendor's last one by something else than a `finish_reason`, which it may lack. Default: none is. */
  readonly isLast?: ((chunk: JsonObject) => boolean) | undefined;
}

/**
 * Makes one chat completion of the chunks of a stream, as `fold` of `jsonAnswer` and `jsonEndpoint`: text and annotations are joined (thoughts are
 * left out), of everything else the latest value counts. A chunk with an `error` is all there is. The evidence is a `finish_reason` with the last text or behind
 * it, and `[DONE]` or what {@link FoldChatOptions.usageIsLast} asks for.
 */
export function foldChat({ sources, usageIsLast = false, isLast }: FoldChatOptions = {}): CreateFold {
  return (live) => {
    const top = new Map<string, unknown>();
    const fields = new Map<string, unknown>();
    const annotations: unknown[] = [];
    const readLive = live && liveReader(live);
    const content = new JoinedText();
    let finish: JsonObject = { finish_reason: null };
    let failed: JsonObject | undefined;
    return {
      push(chunk) {
        if (chunk['error'] !== undefined && chunk['error'] !== null) failed ??= chunk;
        // With its choices, in whose place the joined one is put at the end.
        setKnown(top, chunk);
        const choice = objectOf(listOf(chunk['choices'])[0]);
        const delta = objectOf(choice['delta'] ?? choice['message']);
        setKnown(fields, delta);
        const text = delta['type'] === 'think' ? '' : textOf(delta['content']);
        content.add(text);
        const { native_finish_reason } = choice;
        const finish_reason = choice['finish_reason'] || (isLast?.(chunk) ? 'stop' : null);
        if (finish_reason) finish = { finish_reason, ...(native_finish_reason ? { native_finish_reason } : {}) };
        else if (text !== '') finish = { finish_reason: null };
        for (const annotated of listOf(delta['annotations'])) annotations.push(annotated);
        if (live === undefined || failed !== undefined) return;
        const named = sources?.(chunk, delta) ?? [];
        if (named.length > 0) live.sources(named);
        if (text !== '') readLive?.(text);
      },
      isWhole(end) {
        if (failed !== undefined) return true;
        return finish['finish_reason'] !== null && (end === 'done' || !usageIsLast || top.has('usage'));
      },
      end() {
        if (failed !== undefined) return failed;
        const folded = { ...Object.fromEntries(fields), content: content.toString(), annotations };
        return { ...Object.fromEntries(top), choices: [{ ...finish, message: folded }] };
      },
    };
  };
}

/** {@link foldChat} where chunks name no sources: those of the whole reply come at the end. */
export const foldChatCompletion: CreateFold = foldChat();

const THOUGHT = { open: '<think>', close: '</think>' };

/** Hands over the text behind the thoughts that some models put in front. Only what is needed of them is kept: joining them for each part would take too long. */
function liveReader(live: LiveParts): (text: string) => void {
  let state: 'beginning' | 'thought' | 'text' = 'beginning';
  let held = '';

  function begin(text: string): void {
    state = 'text';
    held = '';
    if (text !== '') live.text(text);
  }

  return (text) => {
    if (state === 'text') {
      live.text(text);
      return;
    }
    held = held === '' && state === 'beginning' ? text.trimStart() : held + text;
    if (state === 'beginning') {
      const isThought = held.startsWith(THOUGHT.open);
      if (!isThought && THOUGHT.open.startsWith(held)) return;
      if (!isThought) {
        begin(held);
        return;
      }
      state = 'thought';
    }
    const close = held.indexOf(THOUGHT.close);
    // The end may have begun.
    if (close === -1) held = held.slice(-THOUGHT.close.length);
    else begin(held.slice(close + THOUGHT.close.length));
  };
}

export function setKnown(values: Map<string, unknown>, fresh: JsonObject): void {
  for (const key of Object.keys(fresh)) {
    const value = fresh[key];
    if (value !== undefined && value !== null) values.set(key, value);
  }
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((piece) => objectOf(piece)['text']);
  return texts.filter((text) => typeof text === 'string').join('');
}
