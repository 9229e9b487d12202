import { z } from 'zod';
import { ChatEnding } from '../../provider-kit/chat-ending.js';
import type { CreateReducer, JsonObject } from '../../provider-kit/reduce-stream.js';
import { listOf, looseList, objectOf, optional, ownChoice, textFields } from '../../provider-kit/reply-fields.js';
import { reportedError } from '../../provider-kit/upstream-failure.js';
import type { Source } from '../../text/collect-citations.js';
import { MAX_ANNOTATIONS } from '../../text/reply-limits.js';

const page = z.object({
  ...textFields('url', 'title', 'description', 'abstract'),
  /** The whole page; no text for market data. */
  content: optional.text,
});

export const pageList = optional.of(looseList(page));

type PageList = z.output<typeof pageList>;

function sourcesOf(pages: PageList): Source[] {
  return (pages ?? []).map(({ url, title, description, abstract, content }) => ({
    url,
    title,
    snippet: description || abstract || content,
  }));
}

/** Sources in the order in which they came, so that no source changes its position. Citation markers count the list of the last event. */
export function allSources(earlier: PageList, last: PageList): Source[] {
  const uncounted = sourcesOf(earlier).map((source) => ({ ...source, id: null }));
  const counted = sourcesOf(last).map((source, index) => ({ ...source, id: index + 1 }));
  return [...uncounted, ...counted];
}

/**
 * Completes Valyu's last event. A stream brings search results, then the text in the deltas of chat completions, then an event with `success`, which both
 * official SDKs (2026-09) read first. Fields that the last event lacks come from the events before. If the last event has results, the results of earlier
 * events become `earlier_results`. An `error` beside a success reports results that were left out, mostly because of their price. The error counts only if no
 * results are left, because the text then has no basis.
 */
export const reduceValyuStream: CreateReducer = (live) => {
  const found: unknown[] = [];
  const ending = new ChatEnding();
  let text = '';
  let last: JsonObject | undefined;
  let failed: JsonObject | undefined;

  function find(results: unknown): void {
    if (!Array.isArray(results)) return;
    const fresh = (results as unknown[]).slice(0, MAX_ANNOTATIONS - found.length);
    for (const result of fresh) found.push(result);
    if (failed === undefined) live?.sources(sourcesOf(pageList.parse(fresh)));
  }

  return {
    push(event) {
      if (event['success'] != null) last ??= event;
      else if (reportedError(event) !== undefined) failed ??= event;
      const choice = ownChoice(event['choices']);
      const content = objectOf(choice['delta'])['content'];
      const delta = typeof content === 'string' ? content : '';
      text += delta;
      ending.push(choice, { text: delta, delta: {}, isLast: false });
      if (event !== last) find(event['search_results']);
      if (delta !== '' && last === undefined && failed === undefined) live?.text(delta);
    },
    isWhole: () => (failed ?? last) !== undefined,
    end() {
      if (failed !== undefined) return failed;
      if (last === undefined) return {};
      const isOwn = Array.isArray(last['search_results']);
      const results = isOwn ? { earlier_results: found } : { search_results: found.length === 0 ? null : found };
      const whole = { ...last, ...results, ...ending.fields, contents: last['contents'] || text };
      const isBased = last['success'] === true && listOf(whole['search_results']).length > 0;
      return isBased ? { ...whole, error: null } : whole;
    },
  };
};
