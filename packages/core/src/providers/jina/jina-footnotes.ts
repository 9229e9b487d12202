import type { Source } from '../../text/collect-citations.js';

export interface Footnoted {
  /** Without the notes; its markers are `[^n]`. */
  readonly text: string;
  /** By the numbers of the markers, in the order of the notes. */
  readonly notes: readonly Source[];
}

/**
 * Takes the notes off a text that ends with them: one `[^1]: words of the page [title](address)` each, and before them a line of `⁜` and the markers that
 * stand nowhere in the text (jina-ai/node-DeepResearch of 2025-10-06, read 2026-11-21). What only looks like a note stays.
 */
export function splitFootnotes(footnoted: string): Footnoted {
  const [first = '', ...blocks] = footnoted.split(/\n(?=\[\^\d{1,3}\]:|⁜)/);
  const notes: Source[] = [];
  let text = first;
  for (const block of blocks) {
    const end = block.indexOf('\n\n');
    const paragraph = end === -1 ? block : block.slice(0, end);
    const note = paragraph.startsWith('⁜') ? undefined : readNote(paragraph);
    if (note !== undefined) notes.push(note);
    const isNoText = note !== undefined || UNUSED_MARKERS.test(paragraph);
    text += isNoText ? block.slice(paragraph.length) : `\n${block}`;
  }
  return { text, notes };
}

const UNUSED_MARKERS = /^⁜(?:\[\^\d{1,3}\])*\s*$/;

/** Titles and addresses may hold brackets: the words before have none, and the address is what the last pair encloses. */
function readNote(paragraph: string): Source | undefined {
  const [marker = '', id] = /^\[\^(\d{1,3})\]:/.exec(paragraph) ?? [];
  const note = paragraph.slice(marker.length).trim();
  const title = note.indexOf('[');
  const address = note.lastIndexOf('](');
  if (id === undefined || title === -1 || address < title || !note.endsWith(')')) return undefined;
  return { id, url: note.slice(address + 2, -1), title: note.slice(title + 1, address), snippet: note.slice(0, title) };
}
