/** One block of a Markdown document, its inline Markdown still in place. */
export type RawBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'prose'; readonly text: string }
  /** A list item or a table row; `indent` counts the spaces before its marker. */
  | { readonly kind: 'item'; readonly indent: number; readonly text: string }
  /** A fenced code block, fences included, without the indentation of its fence. */
  | { readonly kind: 'code'; readonly text: string };

const QUOTE = /^(?: {0,3}> ?)+/;
const FENCE = /^(\s*)(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/;
const SETEXT_UNDERLINE = /^ {0,3}(?:(=+)|-{2,})\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const LINK_DEFINITION = /^ {0,3}\[[^\]]+\]:\s*\S/;
const LIST_ITEM = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)$/;
const TABLE_ROW = /^\s*\|(.*)\|\s*$/;
const TABLE_DELIMITER = /^[\s|:-]+$/;

/** Splits a Markdown document into blocks, line by line. Lenient: whatever is no known construct is prose. */
export function splitBlocks(markdown: string): RawBlock[] {
  const lines = markdown.split(/\r?\n/).map((line) => line.replace(QUOTE, ''));
  const blocks: RawBlock[] = [];
  let open = false;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const last = open ? blocks.at(-1) : undefined;
    if (FENCE.test(line)) {
      const end = endOfFence(lines, index);
      blocks.push({ kind: 'code', text: dedent(lines.slice(index, end + 1)) });
      index = end;
      open = false;
    } else if (last?.kind === 'prose' && SETEXT_UNDERLINE.test(line)) {
      blocks[blocks.length - 1] = { kind: 'heading', level: line.includes('=') ? 1 : 2, text: last.text };
      open = false;
    } else if (isSeparator(line) || isTableHeader(line, lines[index + 1])) {
      open = false;
    } else {
      const begun = beginBlock(line);
      if (begun.kind === 'prose' && last !== undefined) blocks[blocks.length - 1] = continued(last, line);
      else blocks.push(begun);
      open = begun.kind !== 'heading';
    }
  }
  return blocks;
}

function isSeparator(line: string): boolean {
  return line.trim() === '' || RULE.test(line) || LINK_DEFINITION.test(line) || isTableDelimiter(line);
}

function isTableDelimiter(line: string): boolean {
  return line.includes('|') && TABLE_DELIMITER.test(line);
}

function isTableHeader(line: string, next: string | undefined): boolean {
  return TABLE_ROW.test(line) && next !== undefined && isTableDelimiter(next);
}

function beginBlock(line: string): RawBlock {
  const heading = HEADING.exec(line);
  if (heading !== null) return { kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' };
  const item = LIST_ITEM.exec(line);
  if (item !== null) return { kind: 'item', indent: item[1]?.length ?? 0, text: item[2] ?? '' };
  const row = TABLE_ROW.exec(line);
  if (row !== null) return { kind: 'item', indent: 0, text: tableRow(row[1] ?? '') };
  return { kind: 'prose', text: line.trim() };
}

function continued(block: RawBlock, line: string): RawBlock {
  return { ...block, text: `${block.text} ${line.trim()}` };
}

function tableRow(cells: string): string {
  const texts = cells.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return texts.filter((cell) => cell !== '').join(' — ');
}

/** Index of the closing fence, or of the last line when the fence is never closed. */
function endOfFence(lines: readonly string[], start: number): number {
  const marker = FENCE.exec(lines[start] ?? '')?.[2] ?? '```';
  for (let index = start + 1; index < lines.length; index += 1) {
    const line = (lines[index] ?? '').trim();
    if (line.startsWith(marker) && line === marker.charAt(0).repeat(line.length)) return index;
  }
  return lines.length - 1;
}

function dedent(lines: readonly string[]): string {
  const indent = FENCE.exec(lines[0] ?? '')?.[1]?.length ?? 0;
  return lines.map((line) => (line.slice(0, indent).trim() === '' ? line.slice(indent) : line.trimStart())).join('\n');
}
