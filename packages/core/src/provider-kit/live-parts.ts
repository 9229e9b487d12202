import { CitationDrafts, type Source } from '../text/collect-citations.js';
import { createLiveText } from '../text/live-text.js';
import { MAX_MARKER_NUMBER } from '../text/marker-numbers.js';
import { normalizeMarkers, renumberMarkers, stripMarkers } from '../text/markers.js';
import type { LiveAnswer } from './provider.js';

/** What a translator reads out of a stream, in the provider's own terms, as it comes. */
export interface LiveParts {
  /** Further sources, in the provider's order. Markers are rewritten by the sources that came before them. */
  sources(sources: readonly Source[]): void;
  /** The next part of the text, with the provider's own markers. */
  text(part: string): void;
}

export interface LivePartsOptions {
  /** Takes all markers out: for providers that name their sources, or say where markers stand, only at the end. Default `false`. */
  readonly withoutMarkers?: boolean | undefined;
}

/**
 * Rewrites a stream's text and sources as `composeAnswer` does those of a whole reply. Text that may be the beginning of a marker, of code or of a link is
 * held back until that is decided.
 */
export function liveParts(live: LiveAnswer, { withoutMarkers = false }: LivePartsOptions = {}): LiveParts {
  const drafts = new CitationDrafts();
  /** Not before it is needed: most replies count their sources from 1 and name none twice. */
  let positions: Map<string, number> | undefined;
  let count = 0;
  const rewrite = (text: string) => {
    if (withoutMarkers) return stripMarkers(text, MAX_MARKER_NUMBER);
    return positions === undefined ? normalizeMarkers(text, drafts.size) : renumberMarkers(text, positions);
  };
  const liveText = createLiveText(rewrite, (part) => live.text(part));

  function add(source: Source): void {
    const known = drafts.size;
    const draft = drafts.add(source);
    count += 1;
    const { id = count } = source;
    if (drafts.size === known || source.id !== undefined) positions ??= countedTo(known);
    if (positions === undefined || id === null) return;
    // An entry that names nothing takes no number from one that does.
    if (draft === undefined) positions.set(String(id), positions.get(String(id)) ?? 0);
    else if (!positions.get(String(id))) positions.set(String(id), draft.position);
  }

  return {
    sources(sources) {
      const known = drafts.size;
      for (const source of sources) add(source);
      if (drafts.size > known) live.citations(drafts.citations());
    },
    text: (part) => liveText.push(part),
  };
}

function countedTo(count: number): Map<string, number> {
  return new Map(Array.from({ length: count }, (_, index) => [String(index + 1), index + 1]));
}
