import { readBlocks, type Shown, type SourceUrl } from './markdown.js';

/** Limit of shown text: a hostile answer must not freeze the page. */
export const MAX_SHOWN_CHARACTERS = 100_000;

/** An answer shown as DOM nodes. */
export interface AnswerText {
  append(text: string): void;
  /** Shows all pending text. */
  end(): void;
  /** Number of characters beyond the limit, which are not shown. */
  readonly omitted: number;
}

/** Shows an answer in an empty element while it arrives. */
export function showAnswerText(parent: Element, sourceUrl: SourceUrl): AnswerText {
  const splitter = createSplitter();
  let open: Element[] = [];
  let length = 0;
  const add = (text: string, isLast = false) => {
    const blocks = splitter.add(text, isLast);
    if (blocks === undefined) return;
    const elements = (shown: typeof blocks.open) => shown.map(({ show }) => elementOf(show(sourceUrl)));
    for (const element of open) element.remove();
    appendAll(parent, elements(blocks.complete));
    open = elements(blocks.open);
    appendAll(parent, open);
  };
  return {
    append(text) {
      const shown = text.slice(0, Math.max(0, MAX_SHOWN_CHARACTERS - length));
      length += text.length;
      if (shown !== '') add(shown);
    },
    end: () => add('', true),
    get omitted() {
      return Math.max(0, length - MAX_SHOWN_CHARACTERS);
    },
  };
}

/** In a longer open block, new text waits until parsing the block again is worth it. */
const LONG_BLOCK = 8_000;
const WORTH_READING = 1 / 16;

/** Splits streamed text into blocks: complete blocks never change, so only the last block is parsed and shown again. */
export function createSplitter() {
  let rest = '';
  let waiting = '';
  return {
    /** @returns `undefined` while text is held back. */
    add(piece: string, isLast: boolean) {
      waiting += piece.replaceAll('\r', '');
      if (!isLast && rest.length > LONG_BLOCK && waiting.length < rest.length * WORTH_READING) return undefined;
      rest += waiting;
      waiting = '';
      // An incomplete line can still change its block.
      const lines = rest.slice(0, rest.lastIndexOf('\n') + 1);
      const complete = readBlocks(lines);
      const last = complete.pop();
      const start = last === undefined ? -1 : lines.lastIndexOf(last.raw);
      if (start > 0) rest = rest.slice(start);
      return { complete: start > 0 ? complete : [], open: readBlocks(rest) };
    },
  };
}

function elementOf({ tag, children, url, source, start }: Shown): HTMLElement {
  const element = document.createElement(tag);
  if (element instanceof HTMLAnchorElement && url !== undefined) {
    element.href = url;
    element.target = '_blank';
    element.rel = 'noopener noreferrer';
    if (source !== undefined) {
      element.className = 'marker';
      element.dataset['source'] = String(source);
    }
  }
  if (start !== undefined && start !== 1) element.setAttribute('start', String(start));
  // A `pre` scrolls, so it must be reachable by keyboard.
  if (tag === 'pre') element.setAttribute('tabindex', '0');
  appendAll(
    element,
    children.map((child) => (typeof child === 'string' ? child : elementOf(child))),
  );
  return element;
}

/** One by one: a hostile answer has too many parts for the arguments of one call. */
function appendAll(parent: Element, children: readonly (Node | string)[]): void {
  for (const child of children) parent.append(child);
}
