/** Characters for private use are markers. */
const OF_ADDRESS = '[^\\s<>"\'`()[\\]\\p{Co}]';
const OF_TARGET = '[^()\\s<>\\p{Co}]';
const OF_TAG = '[^<>\\p{Co}]';
/**
 * What can lead to an address: a link of Markdown, a tag that can name one, the beginning of a link whose rest is elsewhere, a bare address, also without its
 * scheme, and schemes that need no host.
 */
const LEAD = new RegExp(
  [
    `!?\\[(?<words>[^[\\]]*)\\]\\(\\s*<?(?<address>${OF_TARGET}*(?:\\(${OF_TARGET}*\\)${OF_TARGET}*)*)>?(?:\\s[^()\\p{Co}]*)?\\)`,
    `(?<tag></?(?:[a-z]${OF_TAG}*=${OF_TAG}*|(?:script|style|iframe)\\b${OF_TAG}*)>)`,
    '(?<rest>\\]\\()',
    `<?(?<bare>\\b[a-z][a-z\\d+.-]{0,30}://${OF_ADDRESS}+|//[^\\s/.\\p{Co}]+\\.${OF_ADDRESS}+|\\bwww\\.${OF_ADDRESS}+)>?`,
    '(?<scheme>\\b(?:javascript|vbscript|data|file|mailto):)(?=\\S)',
  ].join('|'),
  'giu',
);
/**
 * Takes the links out of a text whose addresses are not known: the words of a link stay, and of an address its host. Images are always taken out, because they
 * are loaded without a click.
 */
export function withoutForeignLinks(text: string, isKnown: (address: string) => boolean): string {
  const clear = (part: string): string =>
    part.replace(LEAD, (lead: string, ...matched: unknown[]) => {
      const { words, address = '', tag, rest, bare } = matched.at(-1) as Record<string, string | undefined>;
      if (words !== undefined)
        return !lead.startsWith('!') && isKnown(address) ? `[${clear(words)}](${address})` : words;
      if (tag !== undefined) return ' ';
      if (rest !== undefined) return '] (';
      if (bare === undefined) return `${lead} `;
      return isKnown(bare.replace(/[.,;:!?]+$/, '')) ? lead : hostOf(bare);
    });
  // What is taken out may join what stands around it, and links may stand in links.
  return clear(clear(clear(text)));
}

function hostOf(address: string): string {
  const [host = ''] = /^[^/?#\\]*/.exec(address.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\//i, '')) ?? [];
  return host.replace(/^.*@/, '').replace(/^www\./i, '');
}

/** An address without what does not choose the page: scheme, `www.`, a last slash, a fragment and tags of campaigns. As it is where it is no address. */
export function samePage(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  for (const name of Array.from(url.searchParams.keys()))
    if (/^(?:utm_\w+|gclid|fbclid)$/.test(name)) url.searchParams.delete(name);
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}
