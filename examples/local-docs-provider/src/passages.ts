import GithubSlugger from 'github-slugger';
import { lexer, type Token, type Tokens } from 'marked';
import type { LocalDocument } from './local-document.js';
import { fenced, plainText } from './plain-text.js';

/** A piece of a document small enough to be quoted: some paragraphs with their code example, or one entry of a list or table. */
export interface Passage {
  readonly source: string;
  readonly url: string;
  /** Place among the passages of its section, definitions last. */
  readonly position: number;
  /** From the page's title down to the section's own heading. */
  readonly headings: readonly string[];
  /** What an entry of a list or a table defines, such as `bodyTimeout`. */
  readonly name: string | null;
  /** Plain text; entries of lists and rows of tables stand on lines of their own. */
  readonly text: string;
  /** The examples that belong to it, fenced. */
  readonly code: string;
  /** The address of the page it names as the one that says more. */
  readonly more: string | null;
}

const MAX_TEXT_CHARS = 900;
/** A longer listing is a program, not an example. */
const MAX_CODE_LINES = 50;
/** What an entry defines: the code span or bold text it begins with. */
const DEFINED = /^(?:`([^`]+)`|\*\*([^*]+)\*\*)/;
/** An entry that is only a link belongs to a table of contents. */
const ONLY_A_LINK = /^\[[^\]]*\]\([^)]*\)$/;

/** "More: [Errors](errors.md#no_answer_found)". */
const MORE = /\bMore: \[[^\]]*\]\(([^)]+)\)/;

/** Cuts a document into passages, in order. */
export function passagesOf({ source, url, markdown }: LocalDocument): Passage[] {
  const slugger = new GithubSlugger();
  const path: { depth: number; text: string }[] = [];
  const passages: Passage[] = [];
  let address = url;
  let section: Token[] = [];
  const endSection = () => {
    const headings = path.map(({ text }) => text);
    const link = MORE.exec(section.map(({ raw }) => raw).join(''))?.[1];
    const more = link === undefined ? null : new URL(link, url).href;
    for (const [position, piece] of piecesOf(section).entries())
      passages.push({ ...piece, source, url: address, position, headings, more });
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
  // "For example:" may point past a heading: the example that follows belongs to it too.
  return passages.map((passage, index) =>
    passage.code === '' && passage.text.endsWith(':') ? { ...passage, code: passages[index + 1]?.code ?? '' } : passage,
  );
}

type Piece = Pick<Passage, 'name' | 'text' | 'code'>;

/** A section as passages of a few paragraphs each, and every definition in it once more on its own. */
function piecesOf(tokens: readonly Token[]): Piece[] {
  const pieces: { name: null; text: string; code: string }[] = [];
  for (const token of tokens) {
    const last = pieces.at(-1);
    if (token.type === 'code') {
      const code = token as Tokens.Code;
      if (code.text.split('\n').length > MAX_CODE_LINES) continue;
      if (last === undefined) pieces.push({ name: null, text: '', code: fenced(code) });
      else last.code = [last.code, fenced(code)].filter((part) => part !== '').join('\n\n');
      continue;
    }
    for (const line of linesOf(token)) {
      const open = pieces.at(-1);
      const fits = open !== undefined && open.code === '' && open.text.length + line.length < MAX_TEXT_CHARS;
      if (fits) open.text += `\n${line}`;
      else pieces.push({ name: null, text: line, code: '' });
    }
  }
  return [...pieces, ...tokens.flatMap(definitionsOf)];
}

/** The text of a block: a line for a paragraph, for each entry of a list and for each row of a table. */
function linesOf(token: Token): string[] {
  switch (token.type) {
    case 'paragraph':
    case 'text':
      return sentencesWithin(plainText(token.tokens));
    case 'blockquote':
      return (token.tokens ?? []).flatMap(linesOf);
    case 'list':
      return entriesOf(token as Tokens.List).map((text) => `- ${text}`);
    case 'table':
      return rowsOf(token as Tokens.Table).map(({ text }) => `- ${text}`);
    default:
      return [];
  }
}

/** Text too long for one passage, cut between sentences. */
function sentencesWithin(text: string): string[] {
  if (text.length < MAX_TEXT_CHARS) return text === '' ? [] : [text];
  const lines = [''];
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)) {
    const last = lines.at(-1) ?? '';
    if (last.length + segment.length > MAX_TEXT_CHARS) lines.push(segment);
    else lines[lines.length - 1] = last + segment;
  }
  return lines.map((line) => line.trim()).filter((line) => line !== '');
}

function entriesOf({ items }: Tokens.List): string[] {
  return items
    .filter(({ text }) => !ONLY_A_LINK.test(text.trim()))
    .map(({ tokens }) => tokens.flatMap((token) => (token.type === 'code' ? [] : linesOf(token))).join('\n'))
    .filter((text) => text !== '');
}

/** Rows as text. Cells beyond the first carry the title of their column, without which a figure says nothing. */
function rowsOf({ header, rows }: Tokens.Table): { name: string; text: string }[] {
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

function definitionsOf(token: Token): Piece[] {
  if (token.type === 'table') return rowsOf(token as Tokens.Table).map((row) => ({ ...row, code: '' }));
  if (token.type === 'paragraph') {
    const { text, tokens } = token as Tokens.Paragraph;
    const [, code, bold] = DEFINED.exec(text) ?? [];
    return bold === undefined && code === undefined
      ? []
      : sentencesWithin(plainText(tokens))
          .slice(0, 1)
          .map((line) => ({ name: bold ?? code ?? null, text: line, code: '' }));
  }
  if (token.type !== 'list') return [];
  return (token as Tokens.List).items.flatMap((item) => {
    const [, code, bold] = DEFINED.exec(item.text) ?? [];
    const name = code ?? bold;
    const text = item.tokens.flatMap((part) => (part.type === 'code' ? [] : linesOf(part))).join('\n');
    return [...(name === undefined ? [] : [{ name, text, code: '' }]), ...item.tokens.flatMap(definitionsOf)];
  });
}
