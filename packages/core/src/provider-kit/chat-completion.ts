import { z } from 'zod';
import { GatheredText } from '../base/gathered-pieces.js';
import type { Source } from '../text/collect-citations.js';
import { ThoughtReader } from '../text/thoughts.js';
import { ChatEnding, hasContent } from './chat-ending.js';
import type { FinishReason } from './completeness.js';
import type { ReportedUsage } from './compose-answer.js';
import { finishOfWord, nativeFinish } from './finish-words.js';
import type { CreateReducer, JsonObject } from './reduce-stream.js';
import { listOf, looseList, objectOf, optional, ownChoice, ownFirst, textFields } from './reply-fields.js';
import { errorBeside } from './upstream-failure.js';

const page = z.object(textFields('url', 'title', 'snippet'));
const annotation = page.extend({
  type: optional.text,
  /** Holds the URL at providers that nest it. */
  url_citation: optional.of(page.extend({ content: optional.text, exactQuote: optional.text })),
});
const annotationList = optional.of(looseList(annotation));
const part = z.object({ type: optional.text, text: optional.text, thought: z.unknown().optional() });
const replyMessage = z.object({
  content: z.union([z.string(), looseList(part)]).nullish(),
  refusal: optional.text,
  annotations: annotationList,
});
const replyChoice = z.object({
  finish_reason: optional.text,
  /** Of any type: a reason that is no text proves nothing. */
  native_finish_reason: z.unknown().optional(),
  message: replyMessage,
});
const usage = z.object({
  prompt_tokens: optional.number,
  completion_tokens: optional.number,
  total_tokens: optional.number,
  prompt_tokens_details: optional.object({ cached_tokens: optional.number }),
});

/**
 * A chat completion in OpenAI's form, with the lists of sources that other vendors have added. Extend it with a provider's additional
 * fields: `chatCompletion.extend({ ... })`.
 */
export const chatCompletion = z.object({
  ...textFields('id', 'model'),
  choices: z.preprocess((list) => (Array.isArray(list) ? ownFirst(list) : list), z.tuple([replyChoice], z.unknown())),
  usage: optional.of(usage),
  citations: optional.of(z.array(z.preprocess(asPage, page))),
  search_results: optional.of(looseList(page)),
});

/** Some providers cite a page by its URL alone. */
function asPage(cited: unknown): unknown {
  return typeof cited === 'string' ? { url: cited } : objectOf(cited);
}

/** The fields of a chat completion that adapters read. */
export type ChatCompletion = z.output<typeof chatCompletion>;

/** The content of a chat completion. */
export interface ChatAnswer {
  /** Without parts whose type is that of thoughts. */
  readonly text: string;
  /** `null` when the reply has no such list. */
  readonly citations: readonly Source[] | null;
  /** `null` when the reply has no such list. */
  readonly searchResults: readonly Source[] | null;
  /** The sources of `url_citation`s; empty for none. */
  readonly annotations: readonly Source[];
  /** As the reply reports it; fields may be missing. */
  readonly usage: ReportedUsage;
}

/**
 * The evidence of a chat completion: its `finish_reason`. A router reports `stop` even if its model broke off, so a
 * `native_finish_reason`, if present, must also report a complete answer.
 */
export function chatFinish({ choices: [{ message, ...ended }] }: Pick<ChatCompletion, 'choices'>): FinishReason {
  if (message.refusal) return 'refused';
  const finish = finishOfWord(ended.finish_reason);
  const native = ended.native_finish_reason ?? '';
  if (native === '') return finish;
  const stated = nativeFinish(native);
  return finish === 'complete' || stated === 'cut' ? stated : finish;
}

/** Reads the first choice of a chat completion. */
export function readChatCompletion(reply: ChatCompletion): ChatAnswer {
  const [{ message }] = reply.choices;
  const { content, annotations } = message;
  return {
    text: textOf(content),
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

function toSource({ url_citation: nested, ...flat }: z.output<typeof annotation>): Source {
  return {
    url: nested?.url ?? flat.url,
    title: nested?.title ?? flat.title,
    snippet: nested?.snippet ?? nested?.exactQuote ?? nested?.content ?? flat.snippet,
  };
}

/** The sources among the annotations of one delta, for {@link ReduceChatOptions.sources}. */
export function annotatedSources({ annotations }: JsonObject): readonly Source[] {
  return annotations === undefined ? [] : (annotationList.parse(annotations) ?? []).map(toSource);
}

/** What a vendor's stream has beyond the common form. */
export interface ReduceChatOptions {
  /** The sources that a chunk names, in the order of the whole reply. @default no sources before the end */
  readonly sources?: ((chunk: JsonObject, delta: JsonObject) => readonly Source[]) | undefined;
  /** Whether the usage follows the `finish_reason`, so that a stream without usage was cut. @default `false` */
  readonly usageIsLast?: boolean | undefined;
  /** Recognizes the vendor's last chunk by another mark than a `finish_reason`, which the chunk may lack. @default no other mark counts */
  readonly isLast?: ((chunk: JsonObject) => boolean) | undefined;
  /**
   * Whether the model of a stream, by its first chunk with text, may write thoughts that only a closing tag ends. The first 1,000 characters are then held
   * back, unless thoughts came in other fields. Elsewhere such a closing tag behind streamed text ends the call with an error. @default never
   */
  readonly mayThink?: ((chunk: JsonObject) => boolean) | undefined;
}

/**
 * Reduces the chunks of a stream to one chat completion, for `reduce` of `jsonAnswer` and `jsonEndpoint`. Joins text and annotations, without
 * thoughts in other fields; of every other field the latest value counts. A chunk with an `error` is the whole reply. The evidence is a `finish_reason` with or after the
 * last text; with {@link ReduceChatOptions.usageIsLast} also the usage or `[DONE]`.
 */
export function reduceChat({ sources, usageIsLast = false, isLast, mayThink }: ReduceChatOptions = {}): CreateReducer {
  return (live) => {
    const top = new Map<string, unknown>();
    const fields = new Map<string, unknown>();
    const annotations: unknown[] = [];
    const reader = live && mayThink && new ThoughtReader((text) => live.text(text));
    let hasThought = false;
    let hold: number | undefined;
    const content = new GatheredText();
    const ending = new ChatEnding();
    /** The message of a chunk that is a whole reply; such a chunk may also have an empty delta. */
    let message: JsonObject = {};
    let failed: JsonObject | undefined;
    return {
      push(chunk) {
        const choice = ownChoice(chunk['choices']);
        if (errorBeside(chunk, choice) !== undefined) failed ??= chunk;
        // Includes the chunk's choices, which `end` replaces by the joined choice.
        setKnown(top, chunk);
        const delta = objectOf(choice['delta'] ?? choice['message']);
        setKnown(fields, delta);
        const text = isThought(delta) ? '' : textOf(delta['content']);
        hasThought ||= isThought(delta) || hasContent('', { ...delta, content: null });
        if (text !== '') content.add(text);
        if (choice['message'] != null) message = objectOf(choice['message']);
        ending.push(choice, { text, delta, isLast: isLast?.(chunk) === true });
        if (delta['annotations'] !== undefined)
          for (const annotated of listOf(delta['annotations'])) annotations.push(annotated);
        if (live === undefined || failed !== undefined) return;
        const named = sources?.(chunk, delta) ?? [];
        if (named.length > 0) live.sources(named);
        if (text === '') return;
        if (reader === undefined) live.text(text);
        else {
          hold ??= !hasThought && mayThink?.(chunk) === true ? HELD_CHARACTERS : 0;
          reader.hold = hold;
          reader.push(text);
        }
      },
      isWhole(end) {
        if (failed !== undefined) return true;
        return ending.isProof(end) && (end === 'done' || !usageIsLast || top.has('usage'));
      },
      end() {
        if (failed !== undefined) return failed;
        const joined = content.take();
        const reduced = { ...Object.fromEntries(fields), content: joined, annotations };
        const whole = joined === '' && textOf(message['content']) !== '' ? message : reduced;
        return { ...Object.fromEntries(top), choices: [{ ...ending.fields, message: whole }] };
      },
    };
  };
}

/** {@link reduceChat} for chunks that name no sources: the sources come with the whole reply, at the end. */
export const reduceChatCompletion: CreateReducer = reduceChat();

/** Longer than most lines before an answer, shorter than most answers. */
const HELD_CHARACTERS = 1_000;

/** Whether a piece of a message, or a delta, has a type of thoughts. */
function isThought({ type, thought }: JsonObject): boolean {
  return thought === true || (typeof type === 'string' && /think|thought|reason/i.test(type));
}

export function setKnown(values: Map<string, unknown>, fresh: JsonObject): void {
  for (const key of Object.keys(fresh)) {
    const value = fresh[key];
    if (value !== undefined && value !== null) values.set(key, value);
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content)
    .map(objectOf)
    .map((piece) => (isThought(piece) ? '' : piece['text']));
  return texts.filter((text) => typeof text === 'string').join('');
}
