import { z } from 'zod';
import { reduceChat } from '../../provider-kit/chat-completion.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type { CreateReducer, JsonObject } from '../../provider-kit/reduce-stream.js';
import { looseList, optional, textFields } from '../../provider-kit/reply-fields.js';
import { reportedError } from '../../provider-kit/upstream-failure.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';
import { createReferenceReader, type IsKnown } from './zai-references.js';

const page = z.object(textFields('refer', 'link', 'title', 'content'));
export const pageList = optional.of(looseList(page));

export function sourcesOf(pages: z.output<typeof pageList>): Source[] {
  return (pages ?? []).map(toSource);
}

/** Returns a function that tells whether one of the sources has a number. */
export function isNumberOf(sources: readonly Source[]): IsKnown {
  const numbers = new Set(sources.map(({ id }, index) => String(id ?? index + 1)));
  return (number) => numbers.has(number);
}

/** Pages are called `ref_1` or `1`. */
function toSource({ refer, link, title, content }: z.output<typeof page>): Source {
  const [number] = /\d+/.exec(refer ?? '') ?? [];
  return { ...(number === undefined ? {} : { id: Number(number) }), url: link, title, snippet: content };
}

/**
 * Reduces chunks of a chat completion (docs.z.ai/guides/capabilities/streaming, read 2026-11-22). One chunk has the list of pages: before the text if
 * `result_sequence` asks for that order (low confidence). The text waits for the list, because the list explains its references. Pages that are listed after
 * text was handed over come too late to be cited.
 */
export const reduceZaiStream: CreateReducer = (live) => {
  const pages: unknown[] = [];
  const waiting = live && new WaitingText(live, (number) => isKnown(number));
  // GLM always thinks. Some servers of GLM mixed thoughts into the text (low confidence, 2026-11-29).
  const completion = reduceChat({ mayThink: () => true })(
    live && { sources: () => undefined, text: (part) => waiting?.push(part) },
  );
  let isKnown: IsKnown = () => false;
  let isListed = false;
  let hasText = false;
  let hasFailed = false;

  function list(fresh: readonly unknown[]): void {
    if (isListed && hasText) return;
    isListed = true;
    const taken = fresh.slice(0, MAX_ANNOTATIONS - pages.length);
    for (const each of taken) pages.push(each);
    isKnown = isNumberOf(sourcesOf(pageList.parse(pages)));
    if (!hasFailed) live?.sources(sourcesOf(pageList.parse(taken)));
    if (!hasFailed) waiting?.release();
  }

  return {
    push({ web_search: found, ...chunk }) {
      hasFailed ||= reportedError(chunk) !== undefined;
      if (Array.isArray(found)) list(found);
      completion.push(chunk);
      hasText ||= hasContent(chunk);
    },
    isWhole: (end) => completion.isWhole(end),
    end: () => (hasFailed ? completion.end() : { ...completion.end(), web_search: isListed ? pages : null }),
  };
};

/** Text that waits for the list of pages. */
class WaitingText {
  readonly #reader: ReturnType<typeof createReferenceReader>;
  #waiting: string[] | null = [];

  constructor(live: LiveParts, isKnown: IsKnown) {
    this.#reader = createReferenceReader((part) => live.text(part), isKnown);
  }

  push(part: string): void {
    if (this.#waiting === null) this.#reader.push(part);
    else this.#waiting.push(part);
  }

  release(): void {
    const text = this.#waiting?.join('') ?? '';
    this.#waiting = null;
    if (text !== '') this.#reader.push(text);
  }
}

function hasContent({ choices }: JsonObject): boolean {
  const [choice] = Array.isArray(choices) ? (choices as ({ delta?: { content?: unknown } | null } | null)[]) : [];
  return Boolean(choice?.delta?.content);
}
