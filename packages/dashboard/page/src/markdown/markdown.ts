import { Lexer, type MarkedToken, type Token } from 'marked';
import { isWebUrl } from './web-url.js';

/** An element of a shown answer. The page gets no other tags and attributes. */
export interface Shown {
  readonly tag: Tag;
  readonly children: readonly (Shown | string)[];
  /** Only for `a`. */
  readonly url?: string;
  /** Only for `a`: the source number of a citation marker. */
  readonly source?: number;
  /** Only for `ol`. */
  readonly start?: number;
}

type Tag =
  | 'a'
  | 'blockquote'
  | 'br'
  | 'code'
  | 'del'
  | 'em'
  | 'hr'
  | 'li'
  | 'ol'
  | 'p'
  | 'pre'
  | 'strong'
  | 'table'
  | 'td'
  | 'th'
  | 'tr'
  | 'ul';

/** A paragraph with more marks is shown as text: parsing takes time quadratic in their number. */
const MAX_MARKS = 400;
const MARK = /[*_[\]`~<!&:@\\]/g;
/** A block with a line nested this deeply is shown as text. */
const TOO_NESTED = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)])){20}/m;
const CITATION_MARKER = /\[(\d{1,3})\]/;

/** The URL of a citation marker; `undefined` for an unknown source, whose marker stays text. */
export type SourceUrl = (source: number) => string | undefined;

/** A block, such as a paragraph, list or table. */
export interface Block {
  readonly raw: string;
  show(sourceUrl: SourceUrl): Shown;
}

/** Parses Markdown into blocks. Only the tags above are made; HTML and unknown syntax stay text. */
export function readBlocks(markdown: string): Block[] {
  if (TOO_NESTED.test(markdown)) return [{ raw: markdown, show: () => ({ tag: 'p', children: [markdown] }) }];
  const lexer = new Lexer();
  const tokens = lexer.blockTokens(markdown, lexer.tokens);
  // A link definition of `[1]` would redirect a citation marker.
  lexer.tokens.links = {};
  for (const { src, tokens: inline } of lexer.inlineQueue) {
    if ((src.match(MARK)?.length ?? 0) <= MAX_MARKS) lexer.inlineTokens(src, inline);
    else inline.push({ type: 'text', raw: src, text: src });
  }
  const blocks = tokens.filter(({ type }) => type !== 'space');
  return blocks.map((token) => ({ raw: token.raw, show: (sourceUrl) => asBlock(show(token, sourceUrl)) }));
}

function asBlock(shown: readonly (Shown | string)[]): Shown {
  const [only] = shown;
  return shown.length === 1 && only !== undefined && typeof only !== 'string' && only.tag !== 'a'
    ? only
    : { tag: 'p', children: shown };
}

function show(token: Token, sourceUrl: SourceUrl): (Shown | string)[] {
  const known = token as MarkedToken;
  const children = (tokens: readonly Token[] = []) => tokens.flatMap((child) => show(child, sourceUrl));
  switch (known.type) {
    case 'paragraph':
      return [{ tag: 'p', children: children(known.tokens) }];
    case 'heading':
      return [{ tag: 'p', children: [{ tag: 'strong', children: children(known.tokens) }] }];
    case 'code':
      return [{ tag: 'pre', children: [{ tag: 'code', children: [known.text] }] }];
    case 'list': {
      const items = known.items.map((item): Shown => ({ tag: 'li', children: children(item.tokens) }));
      if (!known.ordered) return [{ tag: 'ul', children: items }];
      return [{ tag: 'ol', children: items, ...(known.start === '' ? {} : { start: known.start }) }];
    }
    case 'table': {
      const row = (cells: typeof known.header, tag: 'td' | 'th'): Shown => ({
        tag: 'tr',
        children: cells.map(({ tokens }) => ({ tag, children: children(tokens) })),
      });
      return [{ tag: 'table', children: [row(known.header, 'th'), ...known.rows.map((cells) => row(cells, 'td'))] }];
    }
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return [{ tag: known.type, children: children(known.tokens) }];
    case 'codespan':
      return [{ tag: 'code', children: [known.text] }];
    case 'br':
    case 'hr':
      return [{ tag: known.type, children: [] }];
    case 'link':
      if (!isWebUrl(known.href)) return [known.raw];
      return [{ tag: 'a', url: known.href, children: known.tokens.flatMap((child) => show(child, () => undefined)) }];
    case 'text':
      return known.tokens === undefined ? withMarkers(known.text, sourceUrl) : children(known.tokens);
    case 'escape':
      return [known.text];
    case 'space':
      return [];
    default:
      return [known.raw];
  }
}

/** Links citation markers such as `[3]` to their sources. */
function withMarkers(text: string, sourceUrl: SourceUrl): (Shown | string)[] {
  return text.split(CITATION_MARKER).flatMap((part, place): (Shown | string)[] => {
    if (place % 2 === 0) return part === '' ? [] : [part];
    const url = sourceUrl(Number(part));
    if (url === undefined || !isWebUrl(url)) return [`[${part}]`];
    return [{ tag: 'a', url, source: Number(part), children: [`[${part}]`] }];
  });
}
