import type { Annotation } from './annotated-text.js';
import { GREATER_THAN, isWhiteSpace, skip } from './characters.js';
import { type MarkerToken, markerTokens } from './marker-tokens.js';
import { siteOf } from './page-url.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';

/**
 * Finds the Markdown links that cite a source, the first {@link MAX_ANNOTATIONS} of them, as annotations in UTF-16 for `insertMarkers`. What is only a marker is
 * replaced: a link alone in parentheses (or several), one in double brackets, one that only shows its site or a number. Other links
 * are part of the prose and stay, followed by a marker.
 *
 * @param positionOf the position of the source with this address; `undefined` for addresses that cite none, whose links stay as
 * they are.
 * @param tokens of the text, where they are known already.
 */
export function citationLinks(
  text: string,
  positionOf: (url: string) => number | undefined,
  tokens: readonly MarkerToken[] = markerTokens(text),
): Annotation[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  let found = 0;
  for (const link of linksIn(text, tokens)) {
    const position = positionOf(link.url);
    if (position === undefined) continue;
    found += 1;
    if (found > MAX_ANNOTATIONS) break;
    if (group === undefined || !isSeparator(text.slice(group.end, link.start))) {
      group = { start: link.start, end: link.end, links: [] };
      groups.push(group);
    }
    group.links.push({ ...link, position });
    group.end = link.end;
  }
  return groups.flatMap((each) => annotationsOf(text, each));
}

/** What stands between links of one group. */
const SEPARATOR = /^(?:[,;] ?| and |, and | )?$/;
const SEPARATED_LINKS = ['[', ',[', ', [', ';[', '; [', ' [', ' and [', ', and ['];

/** Whether a text that goes on like this behind a link may still bring a further one of the same group. */
export function mayGoOn(behindLink: string): boolean {
  return SEPARATED_LINKS.some((separated) => separated.startsWith(behindLink));
}

/** Whether links with this between them belong to one group. */
export function isSeparator(between: string): boolean {
  return SEPARATOR.test(between);
}

export interface Link {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  readonly url: string;
}

interface CitationLink extends Link {
  readonly position: number;
}

/** Links that stand together. */
interface Group {
  readonly start: number;
  end: number;
  readonly links: CitationLink[];
}

function annotationsOf(text: string, { start, end, links }: Group): Annotation[] {
  if (text[start - 1] === '(' && text[end] === ')')
    return [{ replaceFrom: start - 1, endIndex: end + 1, positions: links.map(({ position }) => position) }];
  return links.map((link) => ({
    endIndex: link.end,
    replaceFrom: isMarker(link) ? link.start : undefined,
    positions: [link.position],
  }));
}

function isMarker({ label, url }: Link): boolean {
  const shown = label
    .trim()
    .replace(/^www\./i, '')
    .toLowerCase();
  return /^[[^]?\d{0,3}\]?$/.test(shown) || `.${siteOf(url)}`.endsWith(`.${shown}`);
}

/** The Markdown links of a text, whatever they cite. */
export function linksIn(text: string, tokens: readonly MarkerToken[]): Link[] {
  return tokens.flatMap((token) => {
    if (token.kind === 'link') return linkAt(text, token);
    return token.kind === 'markers' ? doubleBracketed(text, token) : [];
  });
}

/** The token is one of `[label](address)`. */
function linkAt(text: string, { start, end }: MarkerToken): Link {
  const inner = text.slice(start + 1, end - 1);
  const labelEnd = inner.lastIndexOf('](');
  const target = inner.slice(labelEnd + 2);
  const first = target.startsWith('<') ? 1 : 0;
  return { start, end, label: inner.slice(0, labelEnd), url: target.slice(first, skip(target, first, isOfAddress)) };
}

function isOfAddress(code: number): boolean {
  return code !== GREATER_THAN && !isWhiteSpace(code);
}

/** `[[1]](https://…)`, one or more in a run of markers. */
function doubleBracketed(text: string, { start, end }: MarkerToken): Link[] {
  const forms = /\[(\[[^[\]]*\])\]\(<?((?:[^()\s>]|\([^()\s]*\))+)[^)]*\)/g;
  return [...text.slice(start, end).matchAll(forms)].map(({ 0: whole, 1: label = '', 2: url = '', index }) => ({
    start: start + index,
    end: start + index + whole.length,
    label,
    url,
  }));
}
