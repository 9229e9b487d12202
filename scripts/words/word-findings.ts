import { EXCEPTIONS, UNWANTED } from './words.js';

/** An unwanted word, and where it stands. */
export interface UnwantedFinding {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

/** A sentence that is too long to be understood at first reading. */
export interface LongSentence {
  readonly file: string;
  /** Where its paragraph begins, from 1. */
  readonly line: number;
  readonly words: number;
}

interface Paragraph {
  readonly line: number;
  readonly text: string;
}

/** More words than this in a sentence of a document are reported. */
export const MAX_SENTENCE_WORDS = 30;

const BEGINS_ITEM = /^\s*(?:[-*+]|\d+\.)\s/;
const FENCE = /^\s*(?:```|~~~)/;
const NOT_PROSE = /^\s*(?:#|\||<|$)/;
const GENERATED = /<!-- \w+:start -->[^]*?<!-- \w+:end -->/g;

/** Every unwanted word of a text, exceptions aside. */
export function findUnwanted(file: string, text: string): UnwantedFinding[] {
  return UNWANTED.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ file, line: lineAt(text, index), found, instead })),
  )
    .filter(({ found }) => !EXCEPTIONS.some((exception) => exception.file.test(file) && exception.found.test(found)))
    .sort((a, b) => a.line - b.line);
}

/** The sentences of a Markdown document over {@link MAX_SENTENCE_WORDS} words. Code, headings and generated parts do not count; a cell of a table does. */
export function findLongSentences(file: string, markdown: string): LongSentence[] {
  const written = markdown.replace(GENERATED, (part) => part.replace(/[^\n]/g, ''));
  return [...paragraphsOf(written), ...cellsOf(written)]
    .flatMap(({ line, text }) => sentencesOf(text).map((sentence) => ({ file, line, words: wordsOf(sentence) })))
    .filter(({ words }) => words > MAX_SENTENCE_WORDS)
    .sort((a, b) => a.line - b.line);
}

/** Runs of prose: a list item is one of its own, and whatever is not prose ends one. */
function paragraphsOf(markdown: string): Paragraph[] {
  const paragraphs: { readonly line: number; text: string }[] = [];
  let isOpen = false;
  for (const [index, line] of withoutCode(markdown).entries()) {
    const isProse = !NOT_PROSE.test(line);
    const text = line.replace(BEGINS_ITEM, '').trim();
    const last = isOpen && !BEGINS_ITEM.test(line) ? paragraphs.at(-1) : undefined;
    isOpen = isProse;
    if (!isProse) continue;
    if (last === undefined) paragraphs.push({ line: index + 1, text });
    else last.text += ` ${text}`;
  }
  return paragraphs;
}

function cellsOf(markdown: string): Paragraph[] {
  return withoutCode(markdown).flatMap((line, index) =>
    line.startsWith('|') ? line.split(/(?<!\\)\|/).map((text) => ({ line: index + 1, text })) : [],
  );
}

/** The lines, with those of code blocks empty. */
function withoutCode(markdown: string): string[] {
  let inCode = false;
  return markdown.split('\n').map((line) => {
    const isFence = FENCE.test(line);
    if (isFence) inCode = !inCode;
    return inCode || isFence ? '' : line;
  });
}

/** A colon or semicolon ends a sentence here: what it separates is read in two steps. */
function sentencesOf(text: string): string[] {
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/[.!?:;]["”)*]*(?=\s|$)/);
}

function wordsOf(sentence: string): number {
  return sentence.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part)).length;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
