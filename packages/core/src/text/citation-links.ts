import type { Annotation } from './annotated-text.js';
import { skip } from './characters.js';
import { isOfAddress } from './marker-forms.js';
import { siteOf } from './page-url.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';
import { type Token, tokensOf } from './scanner.js';

/**
 * Finds the Markdown links that cite a source, the first {@link MAX_ANNOTATIONS} of them, as annotations in UTF-16 for `annotate`. What is only a marker is
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
  tokens: readonly Token[] = tokensOf(text),
): Annotation[] {
  const groups: Group[] = [];
  let group: Group | undefined;
  let found = 0;
  for (const link of linksIn(tokens)) {
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
export function linksIn(tokens: readonly Token[]): Link[] {
  return tokens.flatMap((token) => {
    if (token.kind === 'link') return linkOf(token);
    return token.kind === 'marker' ? doubleBracketed(token) : [];
  });
}

/** The token is one of `[label](address)`. */
function linkOf({ text, start, end }: Token): Link {
  const inner = text.slice(1, -1);
  const labelEnd = inner.lastIndexOf('](');
  const target = inner.slice(labelEnd + 2);
  const first = target.startsWith('<') ? 1 : 0;
  return { start, end, label: inner.slice(0, labelEnd), url: target.slice(first, skip(target, first, isOfAddress)) };
}

/** `[[1]](https://…)`. */
function doubleBracketed({ text, start, end }: Token): Link[] {
  const [, label = '', url] = /^\[+(\[[^[\]]*\])\]+\(<?((?:[^()\s>]|\([^()\s]*\))+)/.exec(text) ?? [];
  return url === undefined ? [] : [{ start, end, label, url }];
}
