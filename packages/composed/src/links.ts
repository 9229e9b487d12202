/** Characters for private use are markers. */
const OF_ADDRESS = '[^\\s<>"\'`()[\\]\\p{Co}]';
const OF_TARGET = '[^()\\s<>\\p{Co}]';
const OF_TAG = '[^<>\\p{Co}]';
/**
 * What can lead to an address: a link of Markdown, a tag that can name one, the beginning of a link, an image or a tag whose rest is elsewhere (a marker will be in
 * brackets), a bare address, also without its scheme, and schemes that need no host.
 */
const LEAD = new RegExp(
  [
    `!?\\[(?<words>[^[\\]]*)\\]\\(\\s*<?(?<address>${OF_TARGET}*(?:\\(${OF_TARGET}*\\)${OF_TARGET}*)*)>?(?:\\s[^()\\p{Co}]*)?\\)`,
    `(?<tag></?(?:[a-z]${OF_TAG}*=${OF_TAG}*|(?:script|style|iframe)\\b${OF_TAG}*)>)`,
    '(?<rest>[\\]\\p{Co}](?:\\(|:(?=\\s*(?:$|\\S*[:/\\\\&]))))',
    '(?<image>!\\[)',
    `<?(?<bare>\\b[a-z][a-z\\d+.-]{0,30}://${OF_ADDRESS}+|//[^\\s/.\\p{Co}]+\\.${OF_ADDRESS}+|\\bwww\\.${OF_ADDRESS}+)>?`,
    '(?<scheme>\\b(?:javascript|vbscript|data|file|mailto):)(?=\\S)',
    '<(?=[a-z/!?]|$)(?!/?(?!script|style|iframe)[a-z][a-z\\d]*\\s*/?>)',
  ].join('|'),
  'giu',
);

/**
 * Takes the links out of a text whose addresses are not of its sources: the words of a link stay, and of an address its host. Links to sources get the
 * address of the source, `sourceOf` theirs, without what the chat model has put into it. Images are always taken out, because they are loaded without a click.
 */
export function withoutForeignLinks(text: string, sourceOf: (address: string) => string | undefined): string {
  const clear = (part: string): string =>
    part.replace(LEAD, (lead: string, ...matched: unknown[]) => {
      const { words, address = '', tag, rest, image, bare } = matched.at(-1) as Record<string, string | undefined>;
      if (words !== undefined) {
        const source = lead.startsWith('!') ? undefined : sourceOf(address);
        return source === undefined ? words : `[${clear(words)}](${source})`;
      }
      if (tag !== undefined) return ' ';
      if (rest !== undefined) return `${rest.slice(0, -1)} ${rest.slice(-1)}`;
      if (image !== undefined) return '[';
      if (bare === undefined) return `${lead} `;
      const [behind = ''] = /[.,;:!?]*$/.exec(bare) ?? [];
      const source = sourceOf(bare.slice(0, bare.length - behind.length));
      return source === undefined ? hostOf(bare) : `${source}${behind}`;
    });
  // What is taken out may join what stands around it, and links may stand in links.
  return clear(clear(clear(text)));
}

function hostOf(address: string): string {
  const rest = address.replace(/^(?:[a-z][a-z\d+.-]*:)?\/\//i, '');
  return rest.replace(/[/?#\\].*$/s, '').replace(/^(?:.*@)?(?:www\.)?/i, '');
}

/** An address without what does not choose the page: scheme, `www.`, a last slash, a fragment and tags of campaigns. As it is where it is no address of the web. */
export function samePage(address: string): string {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return address;
  const url = new URL(address);
  for (const name of Array.from(url.searchParams.keys()))
    if (/^(?:utm_\w+|gclid|fbclid)$/.test(name)) url.searchParams.delete(name);
  return `${url.host.replace(/^www\./, '')}${url.pathname.replace(/\/+$/, '')}${url.search}`;
}
