/** A paragraph, a heading, code, or items of a list. */
export interface Block {
  readonly kind: 'paragraph' | 'heading' | 'code' | 'bullets' | 'numbers';
  /** Lines of code, items of a list; else the one text. */
  readonly texts: readonly string[];
  /** Number of the first item. */
  readonly first?: number;
}

/** Takes a text piece by piece. A block that is complete never changes again, so that following a stream costs time linear in the text. */
export interface BlockReader {
  /** @returns the blocks that are complete now. */
  read(piece: string): Block[];
  /** What follows them for now: it can still change. */
  open(): Block[];
}

/** A longer block is divided, so that the open one is cheap to show again with every piece. */
const MAX_BLOCK_CHARACTERS = 8_000;

const FENCE = /^ {0,3}(?:```|~~~)/;
const HEADING = /^#{1,6} +/;
const BULLET = /^ {0,8}[-*+] +/;
const NUMBER = /^ {0,8}(\d{1,9})[.)] +/;

interface OpenBlock {
  readonly kind: Block['kind'];
  readonly texts: string[];
  readonly first?: number;
  length: number;
}

export function createBlockReader(): BlockReader {
  let block: OpenBlock | undefined;
  /** Of the last line, which may go on. */
  let rest = '';
  let inCode = false;

  function readLine(line: string, done: Block[]): void {
    const next = addLine(block, line, inCode);
    if (FENCE.test(line)) inCode = !inCode;
    if (next !== block) complete(done);
    block = next;
    if (block !== undefined && block.length >= MAX_BLOCK_CHARACTERS) complete(done);
  }

  function complete(done: Block[]): void {
    if (block !== undefined && block.texts.length > 0) done.push(block);
    block = undefined;
  }

  return {
    read(piece) {
      const done: Block[] = [];
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      // A line without an end, and what is left of it, in parts of bounded length.
      while (rest.length > MAX_BLOCK_CHARACTERS) {
        lines.push(rest.slice(0, MAX_BLOCK_CHARACTERS));
        rest = rest.slice(MAX_BLOCK_CHARACTERS);
      }
      for (const line of lines) readLine(line.replace(/\r$/, ''), done);
      return done;
    },
    open() {
      const grown = block && { ...block, texts: [...block.texts] };
      const last = rest === '' ? grown : addLine(grown, rest, inCode);
      const blocks = [last === grown ? undefined : block, last].filter((one) => one !== undefined);
      return blocks.filter(({ texts }) => texts.length > 0);
    },
  };
}

/** The block a line belongs to: the given one with the line in it, or a new one; `undefined` after a line that only ends one. */
function addLine(block: OpenBlock | undefined, line: string, inCode: boolean): OpenBlock | undefined {
  if (FENCE.test(line)) return inCode ? undefined : { kind: 'code', texts: [], length: 0 };
  if (inCode) return block === undefined ? begin('code', line) : append(block, line);
  if (line.trim() === '') return undefined;
  if (HEADING.test(line)) return begin('heading', line.replace(HEADING, ''));
  const number = NUMBER.exec(line)?.[1];
  if (number !== undefined || BULLET.test(line)) return addItem(block, line, number);
  if (block === undefined || block.kind === 'heading' || block.kind === 'code') return begin('paragraph', line);
  return extend(block, line);
}

function addItem(block: OpenBlock | undefined, line: string, number: string | undefined): OpenBlock {
  const kind = number === undefined ? 'bullets' : 'numbers';
  const text = line.replace(number === undefined ? BULLET : NUMBER, '');
  if (block?.kind === kind) return append(block, text);
  return { kind, texts: [text], length: text.length, ...(number === undefined ? {} : { first: Number(number) }) };
}

function begin(kind: Block['kind'], text: string): OpenBlock {
  return { kind, texts: [text], length: text.length };
}

function append(block: OpenBlock, text: string): OpenBlock {
  block.texts.push(text);
  block.length += text.length + 1;
  return block;
}

/** Goes on with the last text of a block. */
function extend(block: OpenBlock, line: string): OpenBlock {
  const text = block.texts.pop() ?? '';
  block.length += line.length + 1;
  block.texts.push(`${text}\n${line.trimStart()}`);
  return block;
}
