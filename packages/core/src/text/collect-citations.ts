import type { Citation } from './citation.js';
import { plainText, snippetOf } from './page-fields.js';
import { MAX_CITATIONS } from './reply-limits.js';

/** A source of a provider's reply. */
export interface Source {
  /** The number of the source in markers. Default: its position among all sources, from 1. `null`: no marker cites the source. */
  readonly id?: string | number | null | undefined;
  /** A source without a web address is no citation. */
  readonly url?: string | null | undefined;
  /** May be meaningless, such as the address again: then it is dropped. */
  readonly title?: string | null | undefined;
  /** May be a whole page. */
  readonly snippet?: string | null | undefined;
}

/**
 * Collects the sources of a reply, up to {@link MAX_CITATIONS} different URLs. A repeated URL adds a missing title or snippet. A repeated id keeps its first
 * meaning. A source without a URL is no citation, so its markers are removed.
 *
 * @returns `citations`: each URL once, in order of first mention. Titles and snippets are plain text, absent if the provider has none. `positions`, for a
 * rewriter: the position in `citations` by source id, from 1; 0 for no citation. `null` if every id is the position.
 */
export function collectCitations(sources: readonly Source[]) {
  const drafts = new CitationDrafts();
  const drafted: (Draft | undefined)[] = [];
  let hasIds = false;
  for (const source of sources) {
    drafted.push(drafts.add(source));
    hasIds ||= source.id !== undefined;
  }
  // In most replies markers count the sources from 1, without repetitions.
  const isCounted = drafts.size === sources.length && !hasIds;
  return { citations: drafts.citations(), positions: isCounted ? null : positionsOf(sources, drafted) };
}

/** Collects citations while their sources come. The position of a citation never changes. */
export class CitationDrafts {
  readonly #drafts = new Map<string, Draft>();

  get size(): number {
    return this.#drafts.size;
  }

  /** The draft of a source; `undefined` for a source without a URL, and beyond the maximum. */
  add(source: Source): Draft | undefined {
    const url = source.url?.trim() ?? '';
    if (url === '') return undefined;
    let draft = this.#drafts.get(url);
    if (draft === undefined) {
      if (this.#drafts.size === MAX_CITATIONS) return undefined;
      draft = { position: this.#drafts.size + 1, url, title: '', snippet: '' };
      this.#drafts.set(url, draft);
    }
    draft.title ||= plainText(source.title ?? '');
    draft.snippet ||= snippetOf(source.snippet ?? '');
    return draft;
  }

  citations(): Citation[] {
    // A loop, because `Array.from` takes four times as long.
    const citations: Citation[] = [];
    for (const draft of this.#drafts.values()) citations.push(toCitation(draft));
    return citations;
  }
}

function positionsOf(sources: readonly Source[], drafted: readonly (Draft | undefined)[]): Map<string, number> {
  const positions = new Map<string, number>();
  const name = (isCitation: boolean) => {
    for (const [index, { id = index + 1 }] of sources.entries()) {
      const draft = drafted[index];
      if (id === null || isCitation !== (draft !== undefined) || positions.has(String(id))) continue;
      positions.set(String(id), draft?.position ?? 0);
    }
  };
  name(true);
  // Last, so that a source without a citation takes no number from a source with a citation.
  name(false);
  return positions;
}

interface Draft {
  readonly position: number;
  readonly url: string;
  title: string;
  snippet: string;
}

function toCitation({ url, title, snippet }: Draft): Citation {
  const citation: { -readonly [Key in keyof Citation]: Citation[Key] } = { url };
  if (title !== '') citation.title = title;
  if (snippet !== '') citation.snippet = snippet;
  return citation;
}
