import GithubSlugger from 'github-slugger';
import { lexer, type Token, type Tokens } from 'marked';
import type { LocalDocument } from './local-document.js';
import { fenced, plainText } from './plain-text.js';

/** A piece of a document small enough to be quoted: some paragraphs with their code example, or one entry of a list or table. */
export interface Passage {
  readonly source: string;
  readonly url: string;
  /** From the page's title down to the section's own heading. */
  readonly headings: readonly string[];
  /** Other wordings of the heading. */
  readonly asked: readonly string[];
  /** What an entry of a list or a table defines, such as `bodyTimeout`. */
  readonly name: string | null;
  /** Plain text; entries of lists and rows of tables stand on lines of their own. */
  readonly text: string;
  /** The examples that belong to it, fenced. */
  readonly code: readonly string[];
}

const MAX_TEXT_CHARS = 900;
/** Of a longer listing, the beginning is the example. */
const MAX_CODE_LINES = 50;
/** Up to 900 characters, cut after a sentence where there is one. */
const CUT = new RegExp(`[^]{1,${MAX_TEXT_CHARS}}(?:(?<=[.!?]) |$)|[^]{1,${MAX_TEXT_CHARS}}`, 'g');
/** What an entry defines: the code span or bold text it begins with. */
const DEFINED = /^(?:`([^`]+)`|\*\*([^*]+)\*\*)/;

/** Cuts a document into passages, in order. */
export function passagesOf({ source, url, markdown, wordings = {} }: LocalDocument): Passage[] {
  const slugger = new GithubSlugger();
  // A heading may be "constructor".
  const wordingsOf = new Map(Object.entries(wordings));
  const path: { depth: number; text: string }[] = [];
  const passages: Passage[] = [];
  let address = url;
  let section: Token[] = [];
  const endSection = () => {
    const headings = path.map(({ text }) => text);
    const asked = wordingsOf.get(headings.at(-1) ?? '')?.split(';') ?? [];
    passages.push(...piecesOf(section).map((piece) => ({ ...piece, source, url: address, headings, asked })));
    section = [];
  };
  for (const token of lexer(markdown)) {
    if (token.type !== 'heading') {
      section.push(token);
      continue;
    }
    endSection();
    const { depth, tokens } = token as Tokens.Heading;
    const text = plainText(tokens).replaceAll('`', '');
    const anchor = slugger.slug(text);
    address = url.includes('#') || depth === 1 ? url : `${url}#${anchor}`;
    while ((path.at(-1)?.depth ?? 0) >= depth) path.pop();
    if (text !== '') path.push({ depth, text });
  }
  endSection();
  return passages;
}

type Piece = Pick<Passage, 'name' | 'text' | 'code'>;

/** A section as passages of a few paragraphs each, and every definition in it once more on its own. */
function piecesOf(tokens: readonly Token[]): Piece[] {
  const pieces: { name: null; text: string; code: string[] }[] = [];
  for (const token of tokens) {
    if (token.type === 'code') {
      const { text, lang = '' } = token as Tokens.Code;
      const code = fenced({ text: text.split('\n').slice(0, MAX_CODE_LINES).join('\n'), lang });
      const last = pieces.at(-1);
      if (last === undefined) pieces.push({ name: null, text: '', code: [code] });
      else last.code.push(code);
      continue;
    }
    for (const line of linesOf(token)) {
      const open = pieces.at(-1);
      const fits = open !== undefined && open.code.length === 0 && open.text.length + line.length < MAX_TEXT_CHARS;
      if (fits) open.text += `\n${line}`;
      else pieces.push({ name: null, text: line, code: [] });
    }
  }
  const definitions = tokens.flatMap(entriesOf).filter(({ name }) => name !== undefined);
  return [...pieces, ...definitions.map(({ name = null, text }) => ({ name, text, code: [] }))];
}

/** The text of a block: a line for a paragraph, for each entry of a list and for each row of a table. */
function linesOf(token: Token): string[] {
  if (token.type === 'paragraph' || token.type === 'text') return cut(plainText(token.tokens));
  if (token.type === 'blockquote') return (token.tokens ?? []).flatMap(linesOf);
  return entriesOf(token).map(({ text }) => `- ${text}`);
}

function cut(text: string): string[] {
  return (text.match(CUT) ?? []).map((line) => line.trim()).filter((line) => line !== '');
}

interface Entry {
  /** What it defines. */
  readonly name?: string | undefined;
  readonly text: string;
}

/** The entries of a list, or the rows of a table. */
function entriesOf(token: Token): Entry[] {
  if (token.type === 'table') return rowsOf(token as Tokens.Table);
  if (token.type !== 'list') return [];
  const entries = (token as Tokens.List).items.map((item) => {
    const [, code, bold] = DEFINED.exec(item.text) ?? [];
    const text = item.tokens.flatMap(linesOf).join('\n');
    return { name: code ?? bold, text };
  });
  return entries.filter(({ text }) => text !== '');
}

/** Rows as text. Cells beyond the first carry the title of their column, without which a figure says nothing. */
function rowsOf({ header, rows }: Tokens.Table): Entry[] {
  const titles = header.map(({ tokens }) => plainText(tokens));
  return rows.map((row) => {
    const cells = row.map(({ tokens }) => plainText(tokens));
    const labeled = cells.map((cell, column) => {
      const title = titles[column] ?? '';
      return column === 0 || cell === '' || title === '' ? cell : `${title}: ${cell}`;
    });
    return { name: cells[0] ?? '', text: labeled.filter((cell) => cell !== '').join(' — ') };
  });
}
