import { inlineText } from './inline-text.js';
import { type RawBlock, splitBlocks } from './split-blocks.js';

/** Everything between one heading and the next. */
export interface Section {
  /** From the document's title down to the section's own heading; empty before the first heading. */
  readonly headings: readonly string[];
  /** Fragment under which GitHub shows the section; `null` before the first heading. */
  readonly anchor: string | null;
  readonly blocks: readonly Block[];
}

/** A block in plain text; `name` is what a list item defines (`bodyTimeout` in "**bodyTimeout** `number` - …"). */
export interface Block {
  readonly kind: 'prose' | 'item' | 'code';
  readonly text: string;
  readonly name: string | null;
  readonly indent: number;
}

/** What a definition item begins with: one word in bold or in a code span. */
const DEFINED_NAME = /^(?:\*\*`?([A-Za-z_$][\w$.-]*)(?:\(\))?`?\*\*|`([A-Za-z_$][\w$.-]*)(?:\(\))?`)(?=[\s:]|$)/;
/** Nothing to quote: HTML that lays out a page, and list items that are only a link (tables of contents). */
const DECORATION =
  /^(?:<(?:p|div|h[1-6]|img|picture|br|center|table)\b|\[(?:[^[\]]|\\.)*\]\([^()]*(?:\([^()]*\))?[^()]*\)$)/i;

/** Splits a Markdown document into its sections, in order. */
export function parseMarkdown(markdown: string): Section[] {
  const anchorOf = createAnchors();
  const path: { level: number; text: string }[] = [];
  let blocks: Block[] = [];
  const sections: Section[] = [{ headings: [], anchor: null, blocks }];
  for (const raw of splitBlocks(markdown)) {
    if (raw.kind !== 'heading') {
      const block = toBlock(raw);
      if (block.text !== '') blocks.push(block);
      continue;
    }
    const text = inlineText(raw.text).replaceAll('`', '');
    while ((path.at(-1)?.level ?? 0) >= raw.level) path.pop();
    if (text !== '') path.push({ level: raw.level, text: text.replace(/:$/, '') });
    blocks = [];
    sections.push({ headings: path.map((heading) => heading.text), anchor: anchorOf(text), blocks });
  }
  return sections.filter((section) => section.blocks.length > 0);
}

function toBlock(raw: Exclude<RawBlock, { kind: 'heading' }>): Block {
  if (raw.kind === 'code') return { kind: 'code', text: raw.text, name: null, indent: 0 };
  if (DECORATION.test(raw.text)) return { kind: 'prose', text: '', name: null, indent: 0 };
  if (raw.kind === 'prose') return { kind: 'prose', text: inlineText(raw.text), name: null, indent: 0 };
  const [, bold, code] = DEFINED_NAME.exec(raw.text) ?? [];
  const name = bold ?? code ?? null;
  const text = inlineText(name === null ? raw.text : raw.text.replace(DEFINED_NAME, `\`${name}\``));
  return { kind: 'item', text, name, indent: raw.indent };
}

/** Makes the fragments GitHub gives to headings: lower case, punctuation dropped, blanks to dashes, repeats numbered. */
function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const repeats = seen.get(slug) ?? 0;
    seen.set(slug, repeats + 1);
    return repeats === 0 ? slug : `${slug}-${repeats}`;
  };
}
