import type { Source } from '../../text/collect-citations.js';

/**
 * Splits the notes off the end of a text. A note is `[^1]: words of the page [title](address)`. Before the notes is a line of `⁜` and the markers that the
 * text does not use (jina-ai/node-DeepResearch of 2025-10-06, read 2026-11-21). A paragraph that only resembles a note stays in the text.
 *
 * @returns the text without the notes, with the citation markers `[^n]`; the notes in their order: `id` is the number of the marker.
 */
export function splitFootnotes(footnoted: string) {
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

/** Titles and addresses may have brackets. The words before the title have no brackets, and the last pair encloses the address. */
function readNote(paragraph: string): Source | undefined {
  const [marker = '', id] = /^\[\^(\d{1,3})\]:/.exec(paragraph) ?? [];
  const note = paragraph.slice(marker.length).trim();
  const title = note.indexOf('[');
  const address = note.lastIndexOf('](');
  if (id === undefined || title === -1 || address < title || !note.endsWith(')')) return undefined;
  return { id, url: note.slice(address + 2, -1), title: note.slice(title + 1, address), snippet: note.slice(0, title) };
}
