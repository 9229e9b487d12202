import { CitationDrafts, type Source } from '../text/collect-citations.js';
import { positionWithin } from '../text/marker-forms.js';
import { type Mark, type MarkerForm, TextRewriter } from '../text/rewriter.js';
import { ThoughtReader } from '../text/thoughts.js';
import type { LiveAnswer } from './provider.js';

/** Receives the parts of a stream while it arrives, in the provider's own terms. */
export interface LiveParts {
  /** Further sources, in the provider's order. */
  sources(sources: readonly Source[]): void;
  /**
   * The next part of the text, with the provider's own markers.
   *
   * @param marks where the part cites sources.
   * @throws UpstreamError `upstream_invalid_response` if the text that was handed over turns out to be thoughts of the model.
   */
  text(part: string, marks?: readonly Mark[]): void;
}

/**
 * Rewrites a stream's text and sources as `composeAnswer` rewrites a whole reply, without thoughts. Text is held back while it may be the beginning of a marker, of code or of a
 * link. Text from a number on is held back while only further sources can decide whether the number is a marker.
 */
export function liveParts(live: LiveAnswer, form: MarkerForm = {}): LiveParts {
  const drafts = new CitationDrafts();
  /** Created only when needed: most replies count their sources from 1 and name no source twice. */
  let positions: Map<string, number> | undefined;
  let positionOf = positionWithin(0);
  let count = 0;
  const rewriter = new TextRewriter({
    ...form,
    positionOf: (id) => (positions === undefined ? positionOf(id) : positions.get(id)),
    count: () => drafts.size,
    mayGrow: () => (positions === undefined ? 'counted' : true),
  });

  const reader = new ThoughtReader((part, marks) => rewriter.push(part, marks));

  function handOver(): void {
    const { text, markers } = rewriter.take();
    if (text !== '') live.text(text, markers);
  }

  function add(source: Source): void {
    const known = drafts.size;
    const draft = drafts.add(source);
    count += 1;
    const { id = count } = source;
    if (drafts.size === known || source.id !== undefined)
      positions ??= new Map(Array.from({ length: known }, (_, index) => [String(index + 1), index + 1]));
    if (positions === undefined || id === null) return;
    // An entry without a source does not replace a source with the same id.
    if (draft === undefined) positions.set(String(id), positions.get(String(id)) ?? 0);
    else if (!positions.get(String(id))) positions.set(String(id), draft.position);
  }

  return {
    sources(sources) {
      const known = drafts.size;
      for (const source of sources) add(source);
      if (drafts.size > known) live.citations(drafts.citations());
      positionOf = positionWithin(drafts.size);
      handOver();
    },
    text(part, marks) {
      reader.push(part, marks);
      handOver();
    },
  };
}
