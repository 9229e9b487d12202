import type { Citation } from './citation.js';
import { plainText, snippetOf } from './plain-text.js';
import { MAX_CITATIONS } from './reply-limits.js';

/** A source as a provider names it. */
export interface Source {
  /** The number markers call it by. Default: its place among all sources, from 1. `null`: no marker means it. */
  readonly id?: string | number | null | undefined;
  readonly url?: string | null | undefined;
  readonly title?: string | null | undefined;
  /** May be a whole page. */
  readonly snippet?: string | null | undefined;
}

export interface CollectedCitations {
  /** Every url once, in order of first mention; titles and snippets as plain text, absent where the provider gives none. */
  readonly citations: readonly Citation[];
  /** The id of a source → its position in `citations`, from 1, or 0: what a rewriter needs. `null` where every id is the position itself. */
  readonly positions: ReadonlyMap<string, number> | null;
}

/**
 * Gathers a reply's sources, the first {@link MAX_CITATIONS} of different urls. A url that comes again adds the title or snippet still missing; an id that comes again keeps its first meaning; a
 * source without a url is no citation, so its markers go.
 */
export function collectCitations(sources: readonly Source[]): CollectedCitations {
  const drafts = new CitationDrafts();
  const drafted: (Draft | undefined)[] = [];
  let hasIds = false;
  for (const source of sources) {
    drafted.push(drafts.add(source));
    hasIds ||= source.id !== undefined;
  }
  // Most replies count their sources from 1 and name none twice.
  const isCounted = drafts.size === sources.length && !hasIds;
  return { citations: drafts.citations(), positions: isCounted ? null : positionsOf(sources, drafted) };
}

/** Citations while their sources come in. The position of one never changes. */
export class CitationDrafts {
  readonly #drafts = new Map<string, Draft>();

  get size(): number {
    return this.#drafts.size;
  }

  /** The draft a source belongs to; `undefined` for one without a url, or one too many. */
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
    // By a loop: `Array.from` takes four times as long to make the same list.
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
  // Last, so that an entry which names nothing takes no number from one that does.
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
