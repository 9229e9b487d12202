import { type Block, createBlockReader } from './blocks.js';
import { type Inline, isWebUrl, parseInline } from './inline.js';

/** More of an answer is not shown: a hostile one must not freeze the page. */
export const MAX_SHOWN_CHARACTERS = 100_000;

/** An answer on the page, built of DOM nodes. */
export interface AnswerText {
  append(text: string): void;
  /** Characters that came after the most that is shown. */
  readonly omitted: number;
}

/**
 * Shows an answer in an empty element while it comes.
 *
 * @param sourceUrl where a marker leads; `undefined` for a source that is not known, whose marker stays text.
 */
export function showAnswerText(parent: Element, sourceUrl: (source: number) => string | undefined): AnswerText {
  const reader = createBlockReader();
  let open: Element[] = [];
  let length = 0;
  return {
    append(text) {
      const shown = text.slice(0, Math.max(0, MAX_SHOWN_CHARACTERS - length));
      length += text.length;
      if (shown === '') return;
      for (const one of open) one.remove();
      const elements = (blocks: readonly Block[]) => blocks.map((block) => blockElement(block, sourceUrl));
      appendAll(parent, elements(reader.read(shown)));
      open = elements(reader.open());
      appendAll(parent, open);
    },
    get omitted() {
      return Math.max(0, length - MAX_SHOWN_CHARACTERS);
    },
  };
}

function blockElement({ kind, texts, first }: Block, sourceUrl: (source: number) => string | undefined): Element {
  const inline = (text: string) => parseInline(text).map((part) => inlineNode(part, sourceUrl));
  switch (kind) {
    case 'code': {
      const block = element('pre', [element('code', [texts.join('\n')])]);
      // It scrolls, so the keyboard must reach it.
      block.setAttribute('tabindex', '0');
      return block;
    }
    case 'heading':
      return element('p', [element('strong', inline(texts.join('\n')))]);
    case 'paragraph':
      return element('p', inline(texts.join('\n')));
    case 'bullets':
    case 'numbers': {
      const items = texts.map((text) => element('li', inline(text)));
      const list = element(kind === 'bullets' ? 'ul' : 'ol', items);
      if (first !== undefined && first !== 1) list.setAttribute('start', String(first));
      return list;
    }
  }
}

function inlineNode(part: Inline, sourceUrl: (source: number) => string | undefined): Node | string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return element('code', [part.text]);
    case 'bold':
      return element(
        'strong',
        part.children.map((child) => inlineNode(child, sourceUrl)),
      );
    case 'link':
      return link(part.url, part.text);
    case 'marker': {
      const url = sourceUrl(part.source);
      if (url === undefined || !isWebUrl(url)) return `[${part.source}]`;
      const marker = link(url, `[${part.source}]`);
      marker.className = 'marker';
      marker.dataset['source'] = String(part.source);
      return marker;
    }
  }
}

function link(url: string, text: string): HTMLAnchorElement {
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer';
  anchor.textContent = text;
  return anchor;
}

function element(name: string, children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(name);
  appendAll(made, children);
  return made;
}

/** One by one: a call with all of a hostile answer's parts as arguments would overflow the stack. */
function appendAll(parent: Element, children: readonly (Node | string)[]): void {
  for (const child of children) parent.append(child);
}
