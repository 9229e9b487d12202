import { reduceChatCompletion } from '../../provider-kit/chat-completion.js';
import type { LiveParts } from '../../provider-kit/live-parts.js';
import type { CreateReducer } from '../../provider-kit/reduce-stream.js';
import { createTagReader } from './brave-tags.js';

/** Reduces chunks of a chat completion. Their text has tags for citations, each behind the sentence that it supports (as captured 2026-10-03). */
export const reduceBraveStream: CreateReducer = (live) => reduceChatCompletion(live && untagged(live));

/** Replaces the tags of the text with citation markers. */
function untagged(live: LiveParts): LiveParts {
  let count = 0;
  const reader = createTagReader({
    text: (part) => live.text(part, []),
    citation(source) {
      count += 1;
      live.sources([source]);
      live.text('', [{ at: 0, ids: [count] }]);
    },
  });
  return { sources: (sources) => live.sources(sources), text: (part) => reader.push(part) };
}
