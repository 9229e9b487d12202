import { describe, expect, it } from 'vitest';
import type { CallableModel } from '../src/catalog/catalog.js';
import { type Extracted, extractKind } from '../src/kinds/extract.js';
import type { AttemptContext } from '../src/kinds/kind-call.js';
import type { Provider } from '../src/provider-kit/provider.js';
import * as allProviders from '../src/providers/index.js';
import type { UpstreamRequest } from '../src/upstream/upstream-client.js';

/** A page of a reply: by the vendor's address, with a text, or failed. */
interface Named {
  readonly url: string;
  readonly content?: string;
}

/** The reply of each vendor with these pages. Those of one page per request name no address that is read. */
const REPLIES: Readonly<Record<string, (pages: readonly Named[]) => object>> = {
  deepseek: ([page]) => ({ content: page?.content }),
  exa: (pages) => ({
    results: read(pages).map(({ url, content }) => ({ id: url, url, text: content })),
    statuses: failed(pages).map(({ url }) => ({ id: url, status: 'error', error: { httpStatusCode: 404 } })),
  }),
  firecrawl: ([page]) => ({ success: true, data: { markdown: page?.content, metadata: { sourceURL: page?.url } } }),
  jina: ([page]) => ({ code: 200, data: { ...page } }),
  linkup: ([page]) => ({ markdown: page?.content }),
  parallel: (pages) => ({
    results: read(pages).map(({ url, content }) => ({ url, full_content: content })),
    errors: failed(pages).map(({ url }) => ({ url, http_status_code: 404 })),
  }),
  tavily: (pages) => ({
    results: read(pages).map(({ url, content }) => ({ url, raw_content: content })),
    failed_results: failed(pages).map(({ url }) => ({ url, error: '404' })),
  }),
  valyu: (pages) => ({
    results: pages.map(({ url, content }) =>
      content === undefined ? { url, status: 'failed', error: '404' } : { url, status: 'success', content },
    ),
  }),
  you: ([page]) => ({ url: page?.url, contents: { full_page: { markdown: page?.content } } }),
  zai: ([page]) => ({ reader_result: { content: page?.content } }),
};
const read = (pages: readonly Named[]) => pages.filter(({ content }) => content !== undefined);
const failed = (pages: readonly Named[]) => pages.filter(({ content }) => content === undefined);

const extracting = Object.values(allProviders)
  .map((create) => create({ apiKey: 'a-key' }))
  .filter(({ extract }) => extract !== undefined);
const ofSeveral = extracting.filter(({ extract }) => extract!.maxUrls > 1);

async function readAt(
  provider: Provider,
  urls: readonly string[],
  pagesOf: (urls: readonly string[]) => Named[],
): Promise<Extracted> {
  const send = ({ json }: UpstreamRequest) => {
    const { urls: sent, url } = json as { urls?: string[]; url?: string };
    const text = JSON.stringify(REPLIES[provider.id]?.(pagesOf(sent ?? [String(url)])));
    return Promise.resolve({ status: 200, header: () => undefined, text });
  };
  const [model] = provider.extract!.models;
  const input = { urls, format: 'markdown', maxCharacters: 1_000 } as const;
  const call = { input, search: undefined };
  const { signal } = new AbortController();
  const calls: Partial<AttemptContext> = { enterSlot: () => null, costOf: () => 0n, ask: (run) => run(context) };
  const context = { ...calls, upstream: { send }, signal } as AttemptContext;
  return (await extractKind.ask(provider, { ...call, model: model!, facts: {} as CallableModel['facts'] }, context))
    .value;
}

const contentOf = (url: string) => `text of ${url}`;
const pageOf = (url: string, named = url): Named => ({ url: named, content: contentOf(url) });
const shown = (url: string) => expect.objectContaining({ url, content: contentOf(url) });

/** How vendors write an address. */
const FORMS: readonly (readonly [form: string, asked: string, named: string])[] = [
  ['a final slash', 'https://a.org/x', 'https://a.org/x/'],
  ['no final slash', 'https://a.org/x/', 'https://a.org/x'],
  ['no slash of the root', 'https://a.org/', 'https://a.org'],
  ['a final slash before a query', 'https://a.org/x?b=1', 'https://a.org/x/?b=1'],
  ['a fragment', 'https://a.org/x', 'https://a.org/x#top'],
  ['no fragment', 'https://a.org/x#top', 'https://a.org/x'],
  ['another case of host and scheme', 'https://a.org/x', 'HTTPS://A.ORG/x'],
  ['the default port', 'https://a.org/x', 'https://a.org:443/x'],
  ['the default port of HTTP', 'http://a.org/x', 'http://a.org:80/x'],
  ['the scheme https', 'http://a.org/x', 'https://a.org/x'],
  ['the scheme http', 'https://a.org/x', 'http://a.org/x'],
  ['no scheme', 'https://a.org/x', 'a.org/x'],
  ['no scheme but slashes', 'https://a.org/x', '//a.org/x'],
  ['no scheme but a port', 'https://a.org:8443/x', 'a.org:8443/x'],
  ['www', 'https://a.org/x', 'https://www.a.org/x'],
  ['no www', 'https://www.a.org/x', 'https://a.org/x'],
  ['all of these', 'http://www.a.org/x', 'https://A.org:443/x/#top'],
  ['a final dot of the host', 'https://a.org/x', 'https://a.org./x'],
  ['escapes in lower case', 'https://a.org/%C3%A9%2Fx', 'https://a.org/%c3%a9%2fx'],
  ['letters in place of escapes', 'https://a.org/%C3%A9?q=%C3%A9', 'https://a.org/é?q=é'],
  ['needless escapes', 'https://a.org/~x', 'https://a.org/%7Ex'],
  ['no needed escapes', 'https://a.org/a%20b', 'https://a.org/a b'],
  ['a broken escape', 'https://a.org/%E9', 'https://a.org/%e9'],
  ['a host in letters', 'https://xn--bcher-kva.org/x', 'https://bücher.org/x'],
  ['an empty query', 'https://a.org/x', 'https://a.org/x?'],
  ['dot segments', 'https://a.org/x', 'https://a.org/b/../x'],
  ['needless escapes beside a broken one', 'https://a.org/~(x)?q=%E9', 'https://a.org/%7e%28x%29?q=%e9'],
  ['another form of IPv6', 'https://[2001:db8::1]:8443/x', 'https://[2001:0DB8:0:0::0001]:8443/x/'],
  ['a host in capitals of Unicode', 'https://xn--bcher-kva.org/x', 'https://BÜCHER.org/x'],
  ['the name of a user', 'https://a.org/x', 'https://user:pass@a.org/x'],
  ['www, a final dot and a port', 'https://a.org:8443/x', 'www.a.org.:8443/x'],
  ['a hash of a page of scripts', 'https://a.org/x#!/b', 'https://a.org/x'],
  ['white space around it', 'https://a.org/x', ' https://a.org/x\n'],
];
const OTHERS = ['https://a.org/', 'https://b.org/x', 'https://a.org/x?b=2', 'https://a.org/y'];

it('has a reply of each provider that reads pages', () => {
  expect(extracting.map(({ id }) => id).toSorted()).toEqual(Object.keys(REPLIES));
});

describe.each(extracting)('an extract of $id', (provider) => {
  it.each(FORMS)('finds a page that is named with %s, among others', async (_form, asked, named) => {
    const urls = [...OTHERS.filter((url) => url !== asked), asked];
    // A vendor may give pages in another order.
    const pages = (sent: readonly string[]) => sent.map((url) => pageOf(url, url === asked ? named : url)).reverse();
    const { results, failed: unread } = await readAt(provider, urls, pages);
    expect(unread).toEqual([]);
    expect(results).toEqual(urls.map(shown));
    for (const result of results) expect(result).not.toHaveProperty('resolved_url');
  });
});

describe.each(ofSeveral)('an extract of $id', (provider) => {
  it.each(FORMS)('finds the reason of a page that is named with %s', async (_form, asked, named) => {
    const urls = ['https://b.org/x', 'https://a.org/z', asked];
    const pages = () => [{ url: named }, pageOf('https://b.org/x')];
    const { failed: unread } = await readAt(provider, urls, pages);
    expect(unread).toEqual([
      { url: 'https://a.org/z', reason: 'page_failed' },
      { url: asked, reason: 'page_not_found' },
    ]);
  });

  it('gives the one page of another address to the one address left, and names the address of the page', async () => {
    const moved = 'https://c.org/moved?from=x';
    const urls = ['https://a.org/x', 'https://b.org/x'];
    const of = (page: Named) => readAt(provider, urls, () => [pageOf('https://b.org/x'), page]);
    const { results } = await of(pageOf('https://a.org/x', moved));
    expect(results).toMatchObject([
      { url: urls[0], content: contentOf(urls[0]!), resolved_url: moved },
      { url: urls[1] },
    ]);
    expect((await of({ url: moved })).failed).toEqual([{ url: urls[0], reason: 'page_not_found' }]);
  });

  const [a, b] = ['https://a.org/x', 'https://b.org/x'] as const;
  it.each<[string, string[], Named[]]>([
    ['two pages of other addresses', [a, b], [pageOf('1', 'https://c.org/'), pageOf('2', 'https://d.org/')]],
    ['two addresses left', [a, b, 'https://c.org/'], [pageOf('1', 'https://d.org/')]],
    ['a page twice', [a, b], [pageOf('again', b)]],
    ['two forms of the address', [a, b], [pageOf('1', `${a}/`), pageOf('2', `${a}#2`)]],
    ['two addresses of the form', [a, `${a}/`, b], [pageOf('1', `${a}#1`)]],
    ['another query', [a, b, 'https://c.org/'], [pageOf('1', `${a}?b=1`)]],
    ['another path', [a, b, 'https://c.org/'], [pageOf('1', 'https://a.org/X')]],
    ['another order of the query', ['https://a.org/x?b=1&c=2', b, 'https://c.org/'], [pageOf('1', `${a}?c=2&b=1`)]],
    ['no parameters of the path', [`${a};v=1`, b, 'https://c.org/'], [pageOf('1', a)]],
    ['no address', [a, b, 'https://c.org/'], [pageOf('1', 'data:text/html,x'), pageOf('2', ''), pageOf('3', 'a b')]],
    ['the hash of several pages of scripts', [`${a}#!/1`, `${a}#!/2`, b], [pageOf('1', a), pageOf('2', a)]],
    ['another port', [a, b, 'https://c.org/'], [pageOf('1', 'https://a.org:8443/x')]],
    ['an escape of an escape', ['https://a.org/%252Fx', b, 'https://c.org/'], [pageOf('1', 'https://a.org/%2Fx')]],
  ])('guesses nothing with %s', async (_what, urls, pages) => {
    const { results, failed: unread } = await readAt(provider, urls, () => [pageOf(b), ...pages]);
    expect(results).toEqual([shown(b)]);
    expect(unread.map(({ url }) => url)).toEqual(urls.filter((url) => url !== b));
  });

  it('tells addresses apart that differ in a final slash, where both are named', async () => {
    const urls = ['https://a.org/x/', 'https://a.org/x', 'https://a.org/x#1', 'http://a.org/x'];
    const { results } = await readAt(provider, urls, () => urls.map((url) => pageOf(url)).reverse());
    expect(results).toEqual(urls.map(shown));
  });
});
