import type { Annotation } from './annotated-text.js';
import { skip } from './characters.js';
import { isOfAddress } from './marker-forms.js';
import { siteOf } from './page-url.js';
import { MAX_ANNOTATIONS } from './reply-limits.js';
import { type Token, tokensOf } from './scanner.js';

/**
 * Finds the first {@link MAX_ANNOTATIONS} Markdown links that cite a source, as annotations in UTF-16 for `annotate`. Links that serve only as citation markers
 * are replaced: links alone in parentheses, links in double brackets, and links that show only their site or a number. Other links are part of the prose and
 * stay, followed by a marker.
 *
 * @param positionOf returns the position of the source with this address; `undefined` for an address of no source, whose link stays unchanged.
 * @param tokens the tokens of the text, if they are known.
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

/** The text between links of a group. */
const SEPARATOR = /^(?:[,;] ?| and |, and | )?$/;
const SEPARATED_LINKS = ['[', ',[', ', [', ';[', '; [', ' [', ' and [', ', and ['];

/** Whether the text behind a link may lead to another link of the same group. */
export function mayGoOn(behindLink: string): boolean {
  return SEPARATED_LINKS.some((separated) => separated.startsWith(behindLink));
}

/** Whether links with this text between them belong to a group. */
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

/** Adjacent links. */
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

/** All Markdown links of a text. */
export function linksIn(tokens: readonly Token[]): Link[] {
  return tokens.flatMap((token) => {
    if (token.kind === 'link') return linkOf(token);
    return token.kind === 'marker' ? doubleBracketed(token) : [];
  });
}

/** Reads a token of the form `[label](address)`. */
function linkOf({ text, start, end }: Token): Link {
  const inner = text.slice(1, -1);
  const labelEnd = inner.lastIndexOf('](');
  const target = inner.slice(labelEnd + 2);
  const first = target.startsWith('<') ? 1 : 0;
  return { start, end, label: inner.slice(0, labelEnd), url: target.slice(first, skip(target, first, isOfAddress)) };
}

/** Reads a token of the form `[[1]](https://…)`. */
function doubleBracketed({ text, start, end }: Token): Link[] {
  const [, label = '', url] = /^\[+(\[[^[\]]*\])\]+\(<?((?:[^()\s>]|\([^()\s]*\))+)/.exec(text) ?? [];
  return url === undefined ? [] : [{ start, end, label, url }];
}
