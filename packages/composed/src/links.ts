/** Links of Markdown, without brackets inside of their text. */
const LINK = /!?\[([^[\]]*)\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s[^()]*)?\)/g;
/** Links around links, such as images that are links. */
const NESTED = 3;
const OF_ADDRESS = '[^\\s<>"\'`()[\\]]';
/** A bare address, also without its scheme, and the beginning of a link whose rest is elsewhere. */
const ADDRESS = new RegExp(
  `\\]\\(|<?(?:\\b[a-z][a-z\\d+.-]{0,30}:\\/\\/${OF_ADDRESS}+|\\/\\/[^\\s/.]+\\.${OF_ADDRESS}+|\\bwww\\.${OF_ADDRESS}+)>?`,
  'gi',
);
/** A tag that can name an address: the text between tags stays. */
const TAG = /<\/?(?:[a-z][^<>]*=[^<>]*|(?:script|style|iframe)\b[^<>]*)>/gi;
/** Schemes that need no host. */
const OTHER_SCHEME = /\b(?:javascript|vbscript|data|file|mailto):(?=\S)/gi;

type IsKnown = (address: string) => boolean;

/**
 * Takes the links out of a text whose addresses are not of its sources: the words of a link stay, and of an address its host. Images are always taken out,
 * because they are loaded without a click.
 */
export function withoutForeignLinks(text: string, isKnown: IsKnown): string {
  if (!/[:/]|www|\]\(/i.test(text)) return text;
  let cleared = text.replace(TAG, '');
  const clear = (link: string, words: string, address: string) =>
    !link.startsWith('!') && isKnown(address) ? link : words;
  for (let round = 0; round < NESTED; round += 1) cleared = cleared.replace(LINK, clear);
  let from = 0;
  let whole = '';
  for (const { index, 0: link, 1: words = '', 2: address = '' } of cleared.matchAll(LINK)) {
    if (link.startsWith('!') || !isKnown(address)) continue;
    whole += `${withoutAddresses(cleared.slice(from, index), isKnown)}[${withoutAddresses(words, isKnown)}](${address})`;
    from = index + link.length;
  }
  return whole + withoutAddresses(cleared.slice(from), isKnown);
}

function withoutAddresses(text: string, isKnown: IsKnown): string {
  const bare = text.replace(ADDRESS, (address) => {
    if (address === '](') return '] (';
    const plain = address.replace(/^<|>$/g, '');
    return isKnown(plain.replace(/[.,;:!?]+$/, '')) ? address : hostOf(plain);
  });
  return bare.replace(OTHER_SCHEME, (scheme) => `${scheme} `);
}

function hostOf(address: string): string {
  const [host = ''] = /^[^/?#\\]*/.exec(address.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\//i, '')) ?? [];
  return host.replace(/^.*@/, '').replace(/^www\./i, '');
}
