import type { LocalDocument } from './local-document.js';
import { type Block, parseMarkdown, type Section } from './parse-markdown.js';

/** A piece of a document small enough to be quoted: a few paragraphs, or one definition, with the code example that belongs to it. */
export interface Passage {
  readonly source: string;
  /** `source › heading › heading`. */
  readonly title: string;
  /** The document's URL with the section's anchor. */
  readonly url: string;
  readonly headings: readonly string[];
  /** Place within its section, from 0. */
  readonly position: number;
  /** What the passage defines, when it is a definition in a list. */
  readonly name: string | null;
  /** Plain text; list items stand on lines of their own. May be empty when there is code. */
  readonly text: string;
  /** The example that belongs to it, a fenced code block. */
  readonly code: string | null;
}

/** A longer listing is a program, not an example: it is left out. */
const MAX_CODE_LINES = 50;
const MAX_PASSAGE_CHARS = 700;
/** A list item this long says something on its own. */
const OWN_PASSAGE_CHARS = 120;

/** Cuts a document into passages, in order. */
export function passagesOf(document: LocalDocument): Passage[] {
  const passages = parseMarkdown(document.markdown).flatMap((section) =>
    cutSection(section.blocks).map(({ parents, ...piece }, position) => {
      const headings = [...section.headings, ...parents];
      return {
        ...piece,
        source: document.source,
        title: titleOf(document.source, headings),
        url: urlOf(document, section),
        headings,
        position,
      };
    }),
  );
  // "For example:" may point past a heading: the example that follows belongs to it too.
  return passages.map((passage, index) =>
    passage.code === null && passage.text.endsWith(':')
      ? { ...passage, code: passages[index + 1]?.code ?? null }
      : passage,
  );
}

interface Piece {
  text: string;
  code: string | null;
  readonly name: string | null;
  /** Names of the definitions this one is nested under. */
  readonly parents: readonly string[];
}

function cutSection(blocks: readonly Block[]): Piece[] {
  const pieces: Piece[] = [];
  const defined: { indent: number; name: string }[] = [];
  for (const block of blocks) {
    const last = pieces.at(-1);
    if (block.kind === 'code') {
      if (block.text.split('\n').length > MAX_CODE_LINES) continue;
      if (last === undefined || last.code !== null)
        pieces.push({ text: '', code: block.text, name: null, parents: [] });
      else last.code = block.text;
      continue;
    }
    if (block.kind === 'item') while ((defined.at(-1)?.indent ?? -1) >= block.indent) defined.pop();
    if (last !== undefined && joins(last, block)) {
      last.text += block.kind === 'item' ? `\n- ${block.text}` : `${last.text === '' ? '' : '\n'}${block.text}`;
      continue;
    }
    const text = block.kind === 'item' && block.name === null ? `- ${block.text}` : block.text;
    pieces.push({ text, code: null, name: block.name, parents: defined.map(({ name }) => name) });
    if (block.name !== null) defined.push({ indent: block.indent, name: block.name });
  }
  return pieces;
}

/** Whether a block belongs to the piece before it: short list items and further paragraphs do, definitions stand alone. */
function joins(piece: Piece, block: Block): boolean {
  if (piece.code !== null || piece.text.length + block.text.length > MAX_PASSAGE_CHARS) return false;
  if (block.kind === 'item') return block.name === null && piece.name === null && block.text.length < OWN_PASSAGE_CHARS;
  return piece.name === null;
}

function titleOf(source: string, headings: readonly string[]): string {
  const named = headings[0]?.toLowerCase() === source.toLowerCase() ? headings.slice(1) : headings;
  return [source, ...named].join(' › ');
}

function urlOf(document: LocalDocument, section: Section): string {
  return section.anchor === null || section.anchor === ''
    ? document.url
    : `${document.url}#${encodeURIComponent(section.anchor)}`;
}
