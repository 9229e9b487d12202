import { reduceChat } from '../../provider-kit/chat-completion.js';
import type { MessageWriter } from '../../provider-kit/live-messages.js';
import { type LiveParts, liveParts } from '../../provider-kit/live-parts.js';
import type { LiveAnswer } from '../../provider-kit/provider.js';
import type { CreateReducer, StreamReducer } from '../../provider-kit/reduce-stream.js';
import { reduceResponses } from '../../provider-kit/responses-stream.js';
import type { Source } from '../../text/collect-citations.js';
import { FINDING_TYPES, GROUNDING_TYPES, searchResults } from './perplexity-agent-reply.js';

const readResults = (results: unknown) => searchResults.parse(results);

/** Search results come as items before the text that cites their ids. Annotations, if any, come with the whole text (recorded 2026-09-25). */
const reduceAgentStream = reduceResponses({
  writer: agentWriter,
  isSearch: ({ type, results }) =>
    GROUNDING_TYPES.includes(String(type)) && !(FINDING_TYPES.includes(type) && readResults(results) === null),
  onItem(live, { type, results }) {
    if (FINDING_TYPES.includes(type)) live.sources(readResults(results) ?? []);
  },
});

/** Also reduces chunks of the old chat completions. Their text is not streamed. */
export const reducePerplexityStream: CreateReducer = (live) => {
  let reduce: StreamReducer | undefined;
  return {
    push(event) {
      reduce ??= event['choices'] != null ? reduceChat()(undefined) : reduceAgentStream(live);
      reduce.push(event);
    },
    isWhole: (end) => reduce?.isWhole(end) === true,
    end: () => reduce?.end() ?? {},
  };
};

function agentWriter(live: LiveParts): MessageWriter {
  return {
    text: (text) => live.text(text),
    annotations: () => undefined,
    endPart: () => undefined,
    nextMessage: () => live.text('\n\n'),
  };
}

/** Citation markers follow words without a space (medium confidence, 2026-11). */
export const PERPLEXITY_MARKERS = { isGlued: true };

/** `[1]`, `[1, 2]` or `【1†source】`. */
const MAY_BE_MARKER = /\d\s*\]|【/;
/** `[web:2]`: only an annotation tells its page. */
const NAMED_MARKER = /[[【]\s*\w{1,20}:\s*\d/;
/** How many characters before a part are kept, to recognize a citation marker that comes in pieces. */
const MARKER_LENGTH = 60;

/**
 * Streams the text with citation markers rewritten by the results that came before. Text from the first marker on waits for the whole reply in two cases,
 * because only annotations, which come last, tell the page: results of several searches share ids, or a marker names no id (`[web:2]`). Sources are
 * announced with the first marker, because the annotations of a text without markers have another order.
 */
export function perplexityLive(live: LiveAnswer): LiveParts {
  const sources: Source[] = [];
  const urlOf = new Map<unknown, unknown>();
  let announced = 0;
  let parts: LiveParts | undefined;
  let hidesMarkers = false;
  let isFrozen = false;
  let before = '';

  function announce(): void {
    parts?.sources(sources.slice(announced));
    announced = sources.length;
  }

  return {
    sources(found) {
      for (const source of found) {
        const { id, url } = source;
        const isDoubtful = id != null && urlOf.has(id) && urlOf.get(id) !== url;
        // The delivered text already has markers.
        if (isDoubtful && parts !== undefined && !hidesMarkers) isFrozen = true;
        hidesMarkers ||= isDoubtful;
        urlOf.set(id, url);
        sources.push(source);
      }
      if (announced > 0) announce();
    },
    text(part) {
      if (isFrozen || part === '') return;
      parts ??= liveParts(live, PERPLEXITY_MARKERS);
      const around = before + part;
      before = around.slice(-MARKER_LENGTH);
      isFrozen = NAMED_MARKER.test(around) || (hidesMarkers && MAY_BE_MARKER.test(around));
      if (isFrozen) return;
      if (announced < sources.length && MAY_BE_MARKER.test(around)) announce();
      parts.text(part);
    },
  };
}
