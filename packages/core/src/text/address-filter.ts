import { matchAt } from './marker-forms.js';

/** Tells whether a page may be named. */
type Allows = (url: string) => boolean;

/** Whether a text may have an address at all: most have none. */
const QUICK = /https?:|:[\\/]|[\\/]{2}|www\./i;
/**
 * A bracket, or the beginning of an address in a form that browsers understand: any scheme with slashes or backslashes; `https:` without them; none in a link, a
 * definition or an attribute; `www.`.
 */
const TOKEN =
  /[[\]]|<?(?:(?<![a-z\d@.\\/-])www\.|https?:[\\/]*|(?=[\\/])(?<=[<"'=(]|\](?::|\()\s{0,9})[\\/]{2,})|:[\\/]{2,}/gi;
/** The name of a scheme that is not well known, before its colon. */
const SCHEME_NAME = /[a-z][a-z\d+.-]{1,20}$/i;
/** The end of a text that may be the beginning of a token. */
const UNFINISHED = /(?:!|<?(?:[a-z][a-z\d+.-]{0,20})?(?::[\\/]?)?|<?[\\/])$/i;
/** More than lookbehinds and {@link UNFINISHED} read. */
const CONTEXT = 32;

/** Marks that end an authority in prose, although the URL standard has the first ones in names; and those that end an address. */
const CJK = '，、；：！？（）【】《》「」“”‘’';
const MARK = String.raw`!$&'()*+,;=[\]^\x60{|}~${CJK}`;
const END = String.raw`\s<>"'\x60()[\]{}|\\^。${CJK}`;
/** A scheme begins another address. */
const OTHER = '(?!(?:https?|ftp|wss?):)';
const AUTHORITY = new RegExp(`(?:${OTHER}[^\\s/\\\\?#<>"\\x60]){0,1000}`, 'iy');
const IN_PROSE = new RegExp(`^(?:[^${MARK}]*@)?(?:\\[[\\da-f:.]*\\]|[^${MARK}]*)`, 'i');
const MARKS = new RegExp(`[@${MARK}]+`);
const NAME = /^(?:\[.*\]|[^:@]*[^:@.…_-])/;
const DOTTED = /[.。．｡][\p{L}\p{N}%]/u;
/** The rest of an address. Another one in its path or query is a part of it. */
const REST = new RegExp(
  `(?:${OTHER}[^/?${END}]){0,1000}(?:(?=[/?\\\\])(?:[/=?&]https?:|${OTHER}(?:\\\\(?=[\\\\/])|[^${END}])){0,4000})?`,
  'iy',
);
const SCHEME = /(?:https?|ftp|wss?):/iy;
const PUNCTUATION = /[.,:;!?*_~…]+$/;

/** The end of a link: its address in brackets or without, and its title. */
const LINK =
  /\]\(\s{0,9}(?:<([^<>\n]{0,4000})>|([^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,3}))(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,9}\)/y;
const UNFINISHED_LINK =
  /\](?:\(\s{0,9}(?:<[^<>\n]{0,4000}>?|[^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,3}(?:\([^\s()<>]{0,500})?)(?:\s{1,9}(?:["'(][^]{0,520})?)?)?$/y;
const MAX_LINK = 6_000;
const ADDRESS = /^(?:(?:[a-z][a-z\d+.-]*:)?[\\/]{2,}|https?:[\\/]*|(?=www\.))/i;
/** Text that a label must not touch: together they may be an address. */
const JOINS = { before: /[a-z\d:\\/.@+-]$/i, behind: /^(?:[a-z\d@\\/-]|[:.][^\s.])/i };
/** Longest label of a link that loses its brackets. */
const MAX_LABEL = 1_000;

/**
 * Replaces the addresses of a text, which may come in parts: that of a page that may not be named by its host, a link by its label. Parts of any size make the
 * same text. At most some thousand characters are held back: an address, or a label, that has no end yet.
 */
export class AddressFilter {
  readonly #allows: Allows;
  /** The text from {@link #at} on has not been read; a little of that before is kept. */
  #text = '';
  #at = 0;
  /** The read text, as far as it may still change: from the first open bracket on. */
  #out = '';
  /** Of `#out`, in the whole text. */
  #start = 0;
  readonly #open: Label[] = [];
  #ready = '';
  /** The last character before `#out`. */
  #last = '';

  constructor(allows: Allows) {
    this.#allows = allows;
  }

  /** @returns the text that is certain now; behind the last part, all the rest. */
  push(part: string, isLast = false): string {
    this.#text += part;
    while (this.#step(isLast)) if (this.#out.length > 8 * MAX_LABEL) this.#settle();
    if (isLast) this.#open.length = 0;
    this.#settle();
    const from = Math.max(0, this.#at - CONTEXT);
    this.#text = this.#text.slice(from);
    this.#at -= from;
    const ready = this.#ready;
    this.#ready = '';
    return ready;
  }

  #settle(): void {
    const end = this.#start + this.#out.length;
    while ((this.#open[0]?.at ?? end) < end - MAX_LABEL) this.#open.shift();
    const from = (this.#open[0]?.at ?? end) - this.#start;
    if (from === 0) return;
    this.#ready += this.#out.slice(0, from);
    this.#last = this.#out.charAt(from - 1);
    this.#out = this.#out.slice(from);
    this.#start += from;
  }

  #copy(end: number): void {
    this.#out += this.#text.slice(this.#at, end);
    this.#at = end;
  }

  /** Reads up to the end of the next token. @returns whether there was one, and its end is known. */
  #step(isLast: boolean): boolean {
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found === null) {
      this.#copy(this.#text.length - (isLast ? 0 : this.#unfinished()));
      return false;
    }
    const scheme = found[0].startsWith(':') ? this.#schemeBefore(found.index) : '';
    const token = scheme + found[0];
    this.#copy(found.index - scheme.length);
    if (token === ']') return this.#closeBracket(isLast);
    if (token.startsWith(':')) this.#copy(this.#at + token.length);
    else if (token !== '[') return this.#address(token, isLast);
    else this.#openBracket();
    return true;
  }

  #openBracket(): void {
    const width = this.#out.endsWith('!') ? 2 : 1;
    this.#open.push({ at: this.#start + this.#out.length + 1 - width, width });
    this.#copy(this.#at + 1);
  }

  #schemeBefore(colon: number): string {
    return SCHEME_NAME.exec(this.#text.slice(Math.max(this.#at, colon - CONTEXT), colon))?.[0] ?? '';
  }

  /** How many characters at the end may be the beginning of a token. */
  #unfinished(): number {
    return UNFINISHED.exec(this.#text.slice(Math.max(this.#at, this.#text.length - CONTEXT)))?.[0].length ?? 0;
  }

  #closeBracket(isLast: boolean): boolean {
    const found = matchAt(LINK, this.#text, this.#at);
    const mayEnd = !isLast && this.#text.length - this.#at < MAX_LINK;
    if (mayEnd && found === null && matchAt(UNFINISHED_LINK, this.#text, this.#at) !== null) return false;
    const [link = '', bracketed, bare = ''] = found ?? [];
    const end = this.#at + link.length;
    const behind = this.#text.slice(end, end + 2);
    if (!isLast && behind.length < 2 && link !== '') return false;
    const page = pageIn(bracketed ?? bare);
    const isForeign = page !== undefined && !page.urls.every(this.#allows);
    const open = this.#open.pop();
    if (!isForeign) this.#copy(this.#at + (this.#text[this.#at + 1] === '(' ? 2 : 1));
    else {
      this.#dropLink(page.name, behind, open);
      this.#at = end;
    }
    return true;
  }

  /** @param open the bracket that the label ends, unless it is too far away. */
  #dropLink(name: string, behind: string, open: Label = { at: -Infinity, width: 0 }): void {
    const isFar = open.at < this.#start + this.#out.length - MAX_LABEL;
    const from = Math.max(0, open.at - this.#start);
    const label = this.#out.slice(from + open.width);
    const before = from > 0 ? this.#out.charAt(from - 1) : this.#last;
    // A number may be a citation.
    const isKept = isFar || /^\d+$/.test(label) || JOINS.before.test(before) || JOINS.behind.test(behind);
    this.#out = isKept ? `${this.#out}]` : this.#out.slice(0, from) + (label.trim() === '' ? name : label);
  }

  #address(token: string, isLast: boolean): boolean {
    const text = this.#text;
    const start = this.#at + (token.startsWith('<') ? 1 : 0);
    const from = token.endsWith('.') ? start : this.#at + token.length;
    const page = pageAt(text, from);
    const rest = matchAt(REST, text, page.end)?.[0] ?? '';
    const whole = page.end + rest.length;
    const isOpen = /^\\?$/.test(text.slice(whole, whole + 2)) || page.authorityEnd === text.length;
    if (isOpen && !isLast) return false;
    const isCertain = /:[\\/]{2,}$/.test(token);
    const isPage = page.urls.length > 0 && (isCertain || DOTTED.test(text.slice(from, page.authorityEnd)));
    const end = page.end + rest.replace(PUNCTUATION, '').length;
    if (isPage && !page.urls.every(this.#allows)) this.#dropAddress(page.name, { start, whole, end });
    else if (isCertain && !isPage && matchAt(SCHEME, text, page.authorityEnd) !== null) {
      // It would take the scheme behind it for its host.
      this.#copy(start);
      this.#at = from;
    } else this.#copy(isPage ? end : this.#at + token.length);
    return true;
  }

  #dropAddress(name: string, { start, whole, end }: Readonly<Record<'start' | 'whole' | 'end', number>>): void {
    const isClosed = start > this.#at && this.#text[whole] === '>';
    const before = this.#text[(isClosed ? this.#at : start) - 1] ?? '';
    if (isClosed) this.#at = start;
    this.#copy(start);
    // Together with what is before, the name may be an address.
    this.#out += /[^\s()[\]{}<>"'`*_~|,;=]/.test(before) ? ` ${name}` : name;
    this.#at = isClosed ? whole + 1 : end;
  }
}

/** Where a label begins, in the whole text, and its bracket: `[`, or `![` of an image. */
interface Label {
  readonly at: number;
  readonly width: number;
}

interface Page {
  /** The host in prose without `www.`, so that no reader takes it for an address. */
  readonly name: string;
  /** Readers may take any of them for the page. None for no page. */
  readonly urls: readonly string[];
  /** Of the host, in the text. */
  readonly end: number;
  readonly authorityEnd: number;
}

/** @param at where the authority of an address begins: a host, perhaps with a user name before and a port behind. */
function pageAt(text: string, at: number): Page {
  const authority = matchAt(AUTHORITY, text, at)?.[0] ?? '';
  const inProse = IN_PROSE.exec(authority)?.[0] ?? '';
  const from = inProse.lastIndexOf('@') + 1;
  const host = nameOf(inProse.slice(from));
  const behind = authority.slice(inProse.length);
  const hosts = [host];
  // For readers that know no prose, it is the page of another host.
  if (behind.includes('@') || DOTTED.test(behind))
    hosts.push(authority.slice(authority.lastIndexOf('@') + 1), ...authority.split(MARKS).map(nameOf));
  const urls = hosts.filter((each) => each !== '' && !each.startsWith(':')).map((each) => `https://${each}`);
  const name = host.replace(/^(?:www\.)+/i, '');
  return { name, urls, end: at + from + host.length, authorityEnd: at + authority.length };
}

const nameOf = (text: string) => NAME.exec(text)?.[0] ?? '';

/** The page of an address that stands alone; `undefined` for no address of a host. */
function pageIn(address: string): Page | undefined {
  const start = ADDRESS.exec(address)?.[0];
  const page = start === undefined ? undefined : pageAt(address, start.length);
  return page?.urls.length === 0 ? undefined : page;
}

/** The text without addresses of pages that may not be named. @param allows `undefined` for all. */
export function filterAddresses(text: string, allows: Allows | undefined): string {
  if (allows === undefined || !QUICK.test(text)) return text;
  return new AddressFilter(allows).push(text, true);
}

/** The same in the texts of JSON, which stays JSON. Other JSON stays as it is. */
export function filterJson(json: string, allows: Allows): string {
  return json.replace(/"(?:[^"\\]|\\.)*"/g, (literal) => {
    const text = JSON.parse(literal) as string;
    const filtered = filterAddresses(text, allows);
    return filtered === text ? literal : JSON.stringify(filtered);
  });
}
