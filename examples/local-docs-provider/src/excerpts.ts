import type { Passage } from './passages.js';
import { termsOf } from './terms.js';

/** The smallest part of a section that is quoted: a sentence, a short paragraph, an entry of a list, a row of a table, or an example. */
export interface Block {
  readonly text: string;
  /** The beginning of an example, which is enough to see how it is done. */
  readonly brief: string;
  /** Its place in the section, and that of the line it is a part of. */
  readonly place: number;
  readonly line: number;
  readonly isCode: boolean;
  readonly passage: Passage;
  /** How much each of its terms says. */
  readonly says: ReadonlyMap<string, number>;
}

const BRIEF_CODE_LINES = 10;
const MAX_LINE_CHARS = 200;
const SENTENCE_END = /(?<=[.!?]) (?=[\p{Lu}`])/u;
/** What a block of the passage that was found has beside the words of a question. */
const FOUND = 1;
/** How much a word says that the headings have already. */
const IN_HEADING = 0.3;

/** The blocks of a section, in its order. The work is the same for every question. */
export function blocksOf(section: readonly Passage[]): readonly Block[] {
  const lines = section.filter(({ name }) => name === null).flatMap(linesOf);
  const blocks = lines.flatMap(({ texts, ...rest }, line) => texts.map((text) => ({ ...rest, text, line })));
  return blocks.map((block, place) => ({
    ...block,
    brief: block.isCode ? beginningOf(block.text) : block.text,
    place,
    says: saysOf(block),
  }));
}

function saysOf({ text, passage }: Pick<Block, 'text' | 'passage'>): Map<string, number> {
  const inHeading = new Set(termsOf([passage.source, ...passage.headings].join(' ')));
  return new Map(termsOf(text).map((term) => [term, inHeading.has(term) ? IN_HEADING : 1]));
}

/** Those blocks first that fit a question best. `best` is the passage that was found in the section. */
export function rankedBlocks(
  blocks: readonly Block[],
  best: Passage,
  weights: ReadonlyMap<string, number>,
): readonly Block[] {
  const scored = blocks.map((block) => {
    const isFound = block.passage === best || block.text === `- ${best.text}`;
    let score = isFound ? FOUND : 0;
    for (const [term, weight] of weights) score += weight * (block.says.get(term) ?? 0);
    return { block, score };
  });
  return scored.sort((a, b) => b.score - a.score).map(({ block }) => block);
}

/** The lines of a passage, long paragraphs as sentences, and its examples. Of an entry, a later sentence would not say what it is about. */
function linesOf(passage: Passage) {
  const lines = passage.text.split('\n').filter((line) => line !== '');
  return [
    ...lines.map((line) => ({
      passage,
      texts: line.length > MAX_LINE_CHARS && !line.startsWith('- ') ? line.split(SENTENCE_END) : [line],
      isCode: false,
    })),
    ...passage.code.map((code) => ({ passage, texts: [code], isCode: true })),
  ];
}

function beginningOf(code: string): string {
  const lines = code.split('\n');
  return lines.length <= BRIEF_CODE_LINES ? code : [...lines.slice(0, BRIEF_CODE_LINES - 1), lines.at(-1)].join('\n');
}

/** What fits of a section, the best blocks first, in its order. */
export function excerpt(ranked: readonly Block[], maxChars: number, form: 'brief' | 'text'): string {
  const chosen: Block[] = [];
  let length = 0;
  for (const block of ranked) {
    const fits = chosen.length === 0 || length + block[form].length <= maxChars;
    if (!fits) continue;
    chosen.push(block);
    length += block[form].length;
  }
  const inOrder = chosen.sort((a, b) => a.place - b.place);
  return inOrder.map((block, at) => between(inOrder[at - 1], block) + block[form]).join('');
}

/** Sentences of a line go on it, with a mark where some between them are left out. */
function between(before: Block | undefined, block: Block): string {
  if (before === undefined) return '';
  if (before.line === block.line) return before.place + 1 === block.place ? ' ' : ' … ';
  return before.isCode || block.isCode ? '\n\n' : '\n';
}
