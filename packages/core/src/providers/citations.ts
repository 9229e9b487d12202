import { plainText, snippetOf } from './plain-text.js';
import type { Citation } from './provider.js';

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
  /** The id of a source → its position in `citations`, from 1: what `renumberMarkers` needs. */
  readonly positions: ReadonlyMap<string, number>;
}

/**
 * Gathers a reply's sources. A url that comes again adds the title or snippet still missing; an id that comes again keeps its first meaning; a
 * source without a url is no citation, so its markers go.
 */
export function collectCitations(sources: readonly Source[]): CollectedCitations {
  const drafts = new Map<string, Draft>();
  const positions = new Map<string, number>();
  for (const [index, source] of sources.entries()) {
    const url = source.url?.trim() ?? '';
    if (url === '') continue;
    const draft = drafts.get(url) ?? { position: drafts.size + 1, url, title: '', snippet: '' };
    drafts.set(url, draft);
    draft.title ||= plainText(source.title ?? '');
    draft.snippet ||= snippetOf(source.snippet ?? '');
    const id = source.id === undefined ? index + 1 : source.id;
    if (id !== null && !positions.has(String(id))) positions.set(String(id), draft.position);
  }
  return { citations: [...drafts.values()].map(toCitation), positions };
}

interface Draft {
  readonly position: number;
  readonly url: string;
  title: string;
  snippet: string;
}

function toCitation({ url, title, snippet }: Draft): Citation {
  return { url, ...(title === '' ? {} : { title }), ...(snippet === '' ? {} : { snippet }) };
}
