import { reduceChatCompletion } from '../../provider-kit/chat-completion.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type { CreateReducer } from '../../provider-kit/reduce-stream.js';
import type { Source } from '../../text/collect-citations.js';
import { ThoughtReader } from '../../text/thoughts.js';
import { createTagReader } from './brave-tags.js';

/** Reduces chunks of a chat completion. Their text has tags for citations, each behind the sentence that it supports (as captured 2026-10-03). */
export const reduceBraveStream: CreateReducer = (live) => reduceChatCompletion(live && untagged(live));

/** Replaces the tags of the text with citation markers. */
function untagged(live: LiveParts): LiveParts {
  const found: Source[] = [];
  let count = 0;
  const answer = new ThoughtReader((part, marks) => {
    const cited = marks.flatMap(({ ids: [id] }) => found[Number(id) - 1] ?? []);
    if (cited.length > 0) live.sources(cited);
    live.text(
      part,
      marks.map(({ at }) => ({ at, ids: [(count += 1)] })),
    );
  });
  const reader = createTagReader({
    text: (part) => answer.push(part),
    citation: (source) => answer.push('', [{ at: 0, ids: [found.push(source)] }]),
  });
  return { sources: (sources) => live.sources(sources), text: (part) => reader.push(part) };
}
