import { foldAtEnd } from '../../provider-kit/fold-stream.js';

/**
 * Makes Valyu's last event whole. A stream brings search results, then the text in the deltas of chat completions, then an event with `success`, which
 * both official SDKs (2026-09) read first; what it leaves out is taken from the events before.
 */
export const foldValyuStream = foldAtEnd((events, ended) => {
  const last = events.find((event) => 'success' in event) ?? events.find((event) => 'error' in event);
  if (last === undefined) return ended ? {} : undefined;
  const found = events.map(({ search_results: results }) => results).filter((results) => Array.isArray(results));
  return {
    ...last,
    contents: last['contents'] || events.map(deltaOf).join(''),
    search_results: last['search_results'] ?? (found.length === 0 ? null : found.flat()),
  };
});

function deltaOf({ choices }: Readonly<Record<string, unknown>>): string {
  const [choice] = Array.isArray(choices) ? (choices as ({ delta?: { content?: unknown } | null } | null)[]) : [];
  const content = choice?.delta?.content;
  return typeof content === 'string' ? content : '';
}
