import GithubSlugger from 'github-slugger';
import { lexer, type Token, type Tokens } from 'marked';
import type { LocalDocument } from './documents.js';

/** Paragraphs below a heading, short enough to be quoted whole. */
export interface Passage {
  readonly source: string;
  /** Address of the section. */
  readonly url: string;
  /** From the page's title to the section's heading. */
  readonly headings: readonly string[];
  /** Markdown. */
  readonly text: string;
}

const MAX_CHARS = 1_200;

/** Splits a document into passages, in order. */
export function passagesOf({ source, url, markdown }: LocalDocument): Passage[] {
  const slugger = new GithubSlugger();
  const path: { depth: number; text: string }[] = [];
  const passages: Passage[] = [];
  let [address, parts]: [string, string[]] = [url, []];
  const endSection = () => {
    const headings = path.map(({ text }) => text);
    passages.push(...packed(parts).map((text) => ({ source, url: address, headings, text })));
    parts = [];
  };
  for (const token of lexer(markdown)) {
    if (token.type !== 'heading') {
      // A text that ends with a colon stays with the next part.
      for (const part of partsOf(token)) parts.push(parts.at(-1)?.endsWith(':') ? `${parts.pop()}\n\n${part}` : part);
      continue;
    }
    endSection();
    const { depth, text: inline } = token as Tokens.Heading;
    const text = withoutLinks(inline)
      .replace(/[`*]|<[^>]*>/g, '')
      .trim();
    const anchor = slugger.slug(text);
    address = depth === 1 ? url : `${url}#${anchor}`;
    while ((path.at(-1)?.depth ?? 0) >= depth) path.pop();
    if (text !== '') path.push({ depth, text });
  }
  endSection();
  return passages;
}

/** Splits a block into parts that fit into a passage. Parts of a table repeat its head, parts of an example its fence. */
function partsOf(token: Token): string[] {
  if (token.type === 'code') {
    const { text, lang = '' } = token as Tokens.Code;
    const fence = '`'.repeat(Math.max(3, ...(text.match(/`+/g) ?? []).map(({ length }) => length + 1)));
    return packed(cut(text), '\n').map((code) => `${fence}${lang}\n${code}\n${fence}`);
  }
  if (token.type === 'html' || token.type === 'def' || token.type === 'hr') return [];
  const lines = cut(withoutLinks(token.raw));
  if (token.type !== 'table') return packed(lines, '\n');
  return packed(lines.slice(2), '\n').map((rows) => [...lines.slice(0, 2), rows].join('\n'));
}

/** Removes links: relative links would lead nowhere in an answer, and `[1]` is a citation marker. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\[(\d{1,3})\]/g, '($1)');
}

/** The lines of a text; lines too long for a passage are split. */
function cut(text: string): string[] {
  return text.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${MAX_CHARS}}`, 'gu')) ?? ['']);
}

/** Joins neighbors while they fit into a passage. */
function packed(parts: readonly string[], separator = '\n\n'): string[] {
  const joined: string[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && last.length + part.length <= MAX_CHARS)
      joined[joined.length - 1] = last + separator + part;
    else joined.push(part);
  }
  return joined.map((text) => text.trim()).filter((text) => text !== '');
}
