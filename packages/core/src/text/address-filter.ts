import { tryJson } from '../base/json-counts.js';
import { matchAt } from './marker-forms.js';

/** Tells whether a page may be named. */
type Allows = (url: string) => boolean;

/** Whether a text may have an address at all: most have none. */
const QUICK = /https?\\?:|:[\\/]|[\\/]\s*[\\/]|www\.|&[#a-z]/i;
/** In Markdown and HTML, a character of an address. Others stay, such as `<`: as themselves they could begin a tag. */
const REFERENCE = /&(?:#(?:x([\da-f]{1,60})|(\d{1,60}));?|(colon|sol|bsol|period|commat|Tab|NewLine);)/gi;
const UNFINISHED_REFERENCE = /&(?:#?\w{0,61})$/;
const NAMED: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '\\',
  period: '.',
  commat: '@',
  tab: ' ',
  newline: ' ',
};
/**
 * A bracket, or the beginning of an address in a form that browsers understand, which leave line ends and tabs out: any scheme with slashes or backslashes;
 * `https:` without them; none, unless behind a name; `www.`. Markdown leaves out a backslash before a colon.
 */
const TOKEN =
  /[[\]]|<?(?:(?<![a-z\d@.\\/-])www\.|[a-z][a-z\d+.-]{1,20}\\?:[\\/]{2,}|https?\\?:[\t\n\r\\/]*|(?:(?<=[<"'=(][\0-\x20]{0,9}|\]:\s{0,9})[\\/]|(?<![a-z\d:._~%\\/-])\/)(?:[\t\n\r]{0,9}[\\/])+)/gi;
/** A part of each token, less than {@link CONTEXT} behind its beginning. Plain text has none, and is passed over in a hundredth of the time. */
const PART_OF_TOKEN = /[[\]:\\/]|www\./gi;
/** The end of a text that may be the beginning of a token. */
const UNFINISHED = /(?:!|<?(?:[a-z][a-z\d+.-]{0,20})?(?:\\?:[\\/]?|\\)?|<?[\\/][\t\n\r]{0,9})$/i;
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
const NAME = /^(?:\[.*\]|[^:@]*[^:@.。．｡…_-])/;
/** Signs behind a host, with which it is another one for readers that know no prose. */
const LONGER = /@|[.。．｡][\p{L}\p{N}%]/u;
const DOTTED = /[.。．｡][\p{L}\p{N}%]/u;
/** With what ends an authority for browsers: others read on, or leave backslashes out. */
const READ_ON = /[^\s/?#]{0,1000}/y;
const MORE = /@|^\\[^"'()[\]{},;]*[.。．｡][\p{L}\p{N}%]|^["`]+[.。．｡][\p{L}\p{N}%]/u;
/** The rest of an address. Another one in its path or query is a part of it. */
const REST = new RegExp(
  `(?:${OTHER}[^/?${END}]){0,1000}(?:(?=[/?\\\\])(?:[/=?&]https?:|${OTHER}(?:\\\\(?=[\\\\/])|[^${END}])){0,4000})?`,
  'iy',
);
const OTHER_REFERENCE = /&(?!(?:lt|gt|quot|apos|amp|nbsp);)[a-z]\w{0,30};/i;
const SCHEME = /(?:https?|ftp|wss?):/iy;
const PUNCTUATION = /[.,:;!?*_~…]+$/;

/** The end of a link: its address in brackets or without, and its title. */
const LINK =
  /\]\(\s{0,9}(?:<([^<>\n]{0,4000})>|([^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,3}))(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'|\([^()]{0,500}\)))?\s{0,9}\)/y;
const UNFINISHED_LINK =
  /\](?:\(\s{0,9}(?:<[^<>\n]{0,4000}>?|[^\s()<>]{0,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500}){0,3}(?:\([^\s()<>]{0,500})?)(?:\s{1,9}(?:["'(][^]{0,520})?)?)?$/y;
const MAX_LINK = 6_000;
/** From here on, text that is held back is not read again for each part. */
const MANY_HELD = 500;
const ADDRESS = /^[\0-\x20]*(?:(?:[a-z][a-z\d+.-]*\\?:)?[\\/]{2,}|https?\\?:[\\/]*|(?=www\.))/i;
/** Text that a label must not touch: together they may be an address. */
const JOINS = { before: /[a-z\d:\\/.@+%-]$/i, behind: /^(?:[a-z\d%@\\/-]|[:.][^\s.])/i };
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
  /** Not before the text is so long, it is read again. */
  #wanted = 0;
  /** The end of the last part, which may be the beginning of a reference. */
  #reference = '';
  /** The last character before `#out`. */
  #last = '';

  constructor(allows: Allows) {
    this.#allows = allows;
  }

  /** @returns the text that is certain now; behind the last part, all the rest. */
  push(part: string, isLast = false): string {
    const given = this.#reference + part;
    this.#reference = isLast ? '' : (UNFINISHED_REFERENCE.exec(given.slice(-64))?.[0] ?? '');
    this.#text += withoutReferences(given.slice(0, given.length - this.#reference.length));
    if (!isLast && this.#text.length < this.#wanted) return '';
    while (this.#step(isLast)) if (this.#out.length > 8 * MAX_LABEL) this.#settle();
    if (isLast) this.#open.length = 0;
    this.#settle();
    const from = Math.max(0, this.#at - CONTEXT);
    this.#text = this.#text.slice(from);
    this.#at -= from;
    const held = this.#text.length - this.#at;
    this.#wanted = held > MANY_HELD ? this.#text.length + held / 4 : 0;
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
    PART_OF_TOKEN.lastIndex = this.#at;
    const part = PART_OF_TOKEN.exec(this.#text)?.index ?? this.#text.length;
    TOKEN.lastIndex = Math.max(this.#at, part - CONTEXT);
    const found = TOKEN.exec(this.#text);
    this.#copy(found?.index ?? this.#text.length - (isLast ? 0 : this.#unfinished()));
    if (found === null) return false;
    const [token] = found;
    if (token === ']') return this.#closeBracket(isLast);
    if (token !== '[') return this.#address(token, isLast);
    const width = this.#out.endsWith('!') ? 2 : 1;
    this.#open.push({ at: this.#start + this.#out.length + 1 - width, width });
    this.#copy(this.#at + 1);
    return true;
  }

  /** Leaves text out. */
  #skip(from: number, to: number): void {
    this.#copy(from);
    this.#at = to;
  }

  /** How many characters at the end may be the beginning of a token. */
  #unfinished(): number {
    return UNFINISHED.exec(this.#text.slice(Math.max(this.#at, this.#text.length - CONTEXT)))?.[0].length ?? 0;
  }

  #closeBracket(isLast: boolean): boolean {
    const found = matchAt(LINK, this.#text, this.#at);
    const isShort = !isLast && this.#text.length - this.#at < MAX_LINK;
    if (isShort && found === null && matchAt(UNFINISHED_LINK, this.#text, this.#at) !== null) return false;
    const [link = '', bracketed, bare = ''] = found ?? [];
    const end = this.#at + link.length;
    const behind = this.#text.slice(end, end + 2);
    if (!isLast && behind.length < 2 && link !== '') return false;
    const page = pageIn(bracketed ?? bare);
    const isForeign = page !== undefined && !page.urls.every(this.#allows);
    const open = this.#popOpen();
    if (!isForeign) this.#copy(this.#at + (this.#text[this.#at + 1] === '(' ? 2 : 1));
    else this.#dropLink({ name: page.name, behind, end }, open);
    return true;
  }

  /** The bracket that a label ends, if it is near enough. */
  #popOpen(): Label | undefined {
    const open = this.#open.pop();
    return open !== undefined && open.at >= this.#start + this.#out.length - MAX_LABEL ? open : undefined;
  }

  #dropLink(
    { name, behind, end }: { readonly name: string; readonly behind: string; readonly end: number },
    open: Label | undefined,
  ): void {
    const from = (open?.at ?? this.#start) - this.#start;
    const label = this.#out.slice(from + (open?.width ?? 0));
    const before = from > 0 ? this.#out.charAt(from - 1) : this.#last;
    // A number may be a citation.
    const isKept = /^\d+$/.test(label) || JOINS.before.test(before) || JOINS.behind.test(behind);
    if (open === undefined || isKept) this.#out += ']';
    else this.#out = this.#out.slice(0, from) + (label.trim() === '' ? name : label);
    this.#at = end;
  }

  #address(token: string, isLast: boolean): boolean {
    const text = this.#text;
    // Letters before a scheme that is well known are no part of it.
    const start = this.#at + Math.max(token.search(/[^<]/), token.search(/https?\\?:[\t\n\r\\/]*$/i));
    const bracket = start === this.#at + 1 && token.startsWith('<') ? 1 : 0;
    const from = /www\.$/i.test(token) ? start : this.#at + token.length;
    const page = pageAt(text, from);
    const rest = matchAt(REST, text, page.end)?.[0] ?? '';
    const whole = page.end + rest.length;
    const isOpen = /^\\?$/.test(text.slice(whole, whole + 2)) || page.readEnd === text.length;
    if (isOpen && !isLast) return false;
    const isCertain = /:[\\/]{2,}$/.test(token);
    // A scheme before a scheme would take that for its host.
    const isDoubled = isCertain && page.host === '' && matchAt(SCHEME, text, page.authorityEnd) !== null;
    if (isDoubled) this.#skip(start, this.#at + token.length);
    else if (page.host === '' || (!isCertain && !DOTTED.test(text.slice(from, page.authorityEnd))))
      this.#copy(this.#at + token.length);
    else if (page.urls.every(this.#allows)) this.#copy(page.end + rest.replace(PUNCTUATION, '').length);
    else
      this.#dropAddress({
        name: page.name,
        start,
        bracket,
        whole,
        end: page.end + rest.replace(PUNCTUATION, '').length,
      });
    return true;
  }

  #dropAddress(found: { name: string; start: number; bracket: number; whole: number; end: number }): void {
    const { name, start, bracket, whole, end } = found;
    const isClosed = bracket === 1 && this.#text[whole] === '>';
    const before = this.#text[(isClosed ? this.#at : start) - 1] ?? '';
    if (isClosed) this.#at += 1;
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
  /** As written in prose, up to the next mark; may be empty. */
  readonly host: string;
  /** The host without `www.`: no reader takes it for an address. */
  readonly name: string;
  /** Readers may take any of them for the page. None for no page. */
  readonly urls: readonly string[];
  /** Of the host, in the text. */
  readonly end: number;
  readonly authorityEnd: number;
  /** Up to here, the text tells which page it is. */
  readonly readEnd: number;
}

/** @param at where the authority of an address begins: a host, perhaps with a user name before and a port behind. */
function pageAt(text: string, at: number): Page {
  const authority = matchAt(AUTHORITY, text, at)?.[0] ?? '';
  const inProse = IN_PROSE.exec(authority)?.[0] ?? '';
  const from = inProse.lastIndexOf('@') + 1;
  const host = NAME.exec(inProse.slice(from))?.[0] ?? '';
  const isLonger = LONGER.test(authority.slice(inProse.length));
  const whole = isLonger ? authority.slice(authority.lastIndexOf('@') + 1) : '';
  const read = matchAt(READ_ON, text, at)?.[0] ?? '';
  const readOn = MORE.test(read.slice(authority.length)) ? read.replace(/.*@|\\/g, '') : '';
  const others =
    isLonger || inProse.endsWith('@') ? authority.split(MARKS).map((each) => NAME.exec(each)?.[0] ?? '') : [];
  const hosts = [host, whole, readOn, ...others].filter((each) => each !== '' && !each.startsWith(':'));
  const urls = hosts.map((each) => `https://${each}`);
  // No page for a name that is not known.
  const isNumbered =
    authority.endsWith('&') && /^#\w/.test(text.slice(at + authority.length, at + authority.length + 2));
  if (isNumbered || OTHER_REFERENCE.test(authority)) urls.push('');
  // What is behind a mark is read on its own.
  const shown = host || (NAME.exec(inProse.slice(0, from && from - 1))?.[0] ?? '');
  const name = shown.replace(/^(?:www\.)+/i, '');
  return {
    host: hosts[0] ?? '',
    name,
    urls,
    end: at + from + host.length,
    authorityEnd: at + authority.length,
    readEnd: at + read.length,
  };
}

/** The page of an address that stands alone; `undefined` for no address of a host. */
function pageIn(address: string): Page | undefined {
  const start = ADDRESS.exec(address)?.[0];
  const page = start === undefined ? undefined : pageAt(address, start.length);
  return page?.urls.length === 0 ? undefined : page;
}

function withoutReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (reference: string, ...[hex, decimal, name]: readonly (string | undefined)[]) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? reference;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const sign = code < 0x80 ? String.fromCharCode(code) : '';
    return /[\w:/\\.@-]/.test(sign) ? sign : /[\t\n\r ]/.test(sign) ? ' ' : reference;
  });
}

/** The text without addresses of pages that may not be named. @param allows `undefined` for all. */
export function filterAddresses(text: string, allows: Allows | undefined): string {
  if (allows === undefined || !QUICK.test(text)) return text;
  return new AddressFilter(allows).push(text, true);
}

/** The same in the texts of JSON, of which the end may be cut off. It stays JSON, and other JSON stays as it is. */
export function filterJson(json: string, allows: Allows): string {
  return json.replace(/"(?:[^"\\]|\\.)*(?:"|\\?$)/g, (literal) => {
    const isCut = !/[^\\](?:\\\\)*"$/.test(literal);
    const whole = isCut ? `${literal.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"` : literal;
    const text = tryJson(() => JSON.parse(whole) as string);
    if (text === undefined) return filterAddresses(literal, allows);
    const filtered = filterAddresses(text, allows);
    return filtered === text ? literal : JSON.stringify(filtered).slice(0, isCut ? -1 : undefined);
  });
}
