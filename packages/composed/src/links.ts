/** Links of Markdown, without brackets inside of their text. */
const LINK = /!?\[([^[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s[^()]*)?\)/g;
/** Links around links, such as images that are links. */
const NESTED = 3;
const OF_ADDRESS = '[^\\s<>"\'`()[\\]]';
/** A bare address, also without its scheme, and the beginning of a link whose rest is elsewhere. */
const ADDRESS = new RegExp(
  `\\][(:]|<?(?:\\b[a-z][a-z\\d+.-]{0,30}:\\/\\/${OF_ADDRESS}+|\\/\\/[^\\s/.]+\\.${OF_ADDRESS}+|\\bwww\\.${OF_ADDRESS}+)>?`,
  'gi',
);
/** A tag that can name an address: the text between tags stays. */
const TAG = /<\/?(?:[a-z][^<>]*=[^<>]*|(?:script|style|iframe)\b[^<>]*)>/gi;
/** What may begin a tag whose rest is elsewhere, or hides in a value: all but whole tags without values, and addresses. */
const TAG_BEGIN = /<(?=[a-z/!?]|$)(?!\/?(?!script|style|iframe)[a-z][a-z\d]*\s*\/?>|https?:\/\/[^\s<>"']*>)/gi;
/** Schemes that need no host. */
const OTHER_SCHEME = /\b(?:javascript|vbscript|data|file|mailto):(?=\S)/gi;

/** The address of the source with the page of an address. */
type SourceOf = (address: string) => string | undefined;

/**
 * Takes the links out of a text whose addresses are not of its sources: the words of a link stay, and of an address its host. Links to sources get the
 * address of the source, without what the chat model has put into it. Images are always taken out, because they are loaded without a click.
 */
export function withoutForeignLinks(text: string, sourceOf: SourceOf): string {
  if (!/[:/<]|www|\]\(|!\[/i.test(text)) return text;
  let cleared = text.replace(TAG, '').replace(TAG_BEGIN, '< ');
  const clear = (link: string, words: string, address: string) =>
    !link.startsWith('!') && sourceOf(address) !== undefined ? link : words;
  for (let round = 0; round < NESTED; round += 1) cleared = cleared.replace(LINK, clear);
  let from = 0;
  let whole = '';
  for (const { index, 0: link, 1: words = '', 2: address = '' } of cleared.matchAll(LINK)) {
    const source = link.startsWith('!') ? undefined : sourceOf(address);
    if (source === undefined) continue;
    whole += `${withoutAddresses(cleared.slice(from, index), sourceOf)}[${withoutAddresses(words, sourceOf)}](${source})`;
    from = index + link.length;
  }
  return whole + withoutAddresses(cleared.slice(from), sourceOf);
}

function withoutAddresses(text: string, sourceOf: SourceOf): string {
  const bare = text.replaceAll('![', '[').replace(ADDRESS, (address) => {
    if (address.startsWith(']')) return `] ${address.slice(1)}`;
    const plain = address.replace(/^<|>$/g, '');
    const [behind = ''] = /[.,;:!?]*$/.exec(plain) ?? [];
    const source = sourceOf(plain.slice(0, plain.length - behind.length));
    return source === undefined ? hostOf(plain) : `${source}${behind}`;
  });
  return bare.replace(OTHER_SCHEME, (scheme) => `${scheme} `);
}

function hostOf(address: string): string {
  const [host = ''] = /^[^/?#\\]*/.exec(address.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\//i, '')) ?? [];
  return host.replace(/^.*@/, '').replace(/^www\./i, '');
}
