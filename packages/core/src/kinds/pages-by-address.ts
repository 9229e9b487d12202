import { parseUrl } from '../base/parse-url.js';
import type { ExtractedPage, FailedPage } from '../provider-kit/provider.js';
import { webAddress } from '../text/page-fields.js';
import { MAX_URL_CHARACTERS } from '../text/reply-limits.js';

type Page = ExtractedPage | FailedPage;

interface Found {
  readonly page?: Page | undefined;
  /** The page's own address, if that alone did not tell that the page was asked for. */
  readonly resolvedUrl?: string | undefined;
}

/**
 * Finds the page of each address, although vendors write addresses in forms of their own: first as written; then in the URL standard's form without
 * fragment and final slash; then without scheme and `www.`. At last, the one page of another address belongs to the one address left. Where several pages
 * or addresses fit, none is chosen. Of several pages with the same address the first one counts.
 */
export function pagesByAddress(pages: readonly Page[], urls: readonly string[]): ReadonlyMap<string, Found> {
  const left = new Set(pages);
  const found = new Map<string, Found>();
  const unread = () => urls.filter((url) => !found.has(url));

  function match({ nameOf, formOf }: Way): void {
    const named = groupsOf(left, (page) => formOf(nameOf(page)));
    for (const [form, [url = '', ...otherUrls]] of groupsOf(unread(), formOf)) {
      const [page, ...others] = named.get(form) ?? [];
      if (page === undefined || otherUrls.length > 0 || others.some((other) => other.url !== page.url)) continue;
      found.set(url, { page });
      left.delete(page);
    }
  }

  for (const way of WAYS) if (found.size < urls.length && left.size > 0) match(way);
  const [url, ...otherUrls] = unread();
  if (url !== undefined && otherUrls.length === 0) found.set(url, onlyStranger(left, urls));
  return found;
}

/** The page whose address is none of those that were asked for, if there is one such page. */
function onlyStranger(pages: Iterable<Page>, urls: readonly string[]): Found {
  const asked = new Set(urls.map(bareForm));
  const isStranger = (page: Page) => NAMES.every((nameOf) => !asked.has(bareForm(nameOf(page))));
  const [page, ...others] = Array.from(pages).filter(isStranger);
  if (page === undefined || others.some((other) => other.url !== page.url)) return {};
  return { page, resolvedUrl: webAddress(page.otherUrl ?? page.url) };
}

type Form = (address: unknown) => string | undefined;

const NAMES = [(page: Page) => page.url, (page: Page) => page.otherUrl] as const;

interface Way {
  readonly nameOf: (page: Page) => unknown;
  readonly formOf: Form;
}

/** The first name in all forms comes before the second name. */
const WAYS: readonly Way[] = NAMES.flatMap((nameOf) =>
  [writtenForm, standardForm, bareForm].map((formOf) => ({ nameOf, formOf })),
);

function writtenForm(address: unknown): string | undefined {
  return typeof address === 'string' && address.length <= MAX_URL_CHARACTERS ? address : undefined;
}

function standardForm(address: unknown): string | undefined {
  const url = urlOf(address);
  return url && `${url.protocol}//${url.host}${pathOf(url)}`;
}

function bareForm(address: unknown): string | undefined {
  const url = urlOf(address);
  return url && url.host.replace(/^www\./, '').replace(/\.(?=:|$)/, '') + pathOf(url);
}

/** Some vendors leave out the scheme. */
function urlOf(address: unknown): URL | undefined {
  const written = writtenForm(address)?.trim();
  return written === undefined ? undefined : parseUrl(/^https?:/i.test(written) ? written : `https://${written}`);
}

/** Path and query. Escapes are decoded where that changes no meaning, as `%7E` is `~`, but `%2F` is no slash. */
function pathOf({ pathname, search }: URL): string {
  const path = pathname.replace(/\/$/, '') + search;
  const decoded = tryDecode(path.replaceAll('%25', '%2525'));
  return (decoded ?? path).replace(/%[\da-f]{2}/gi, (escape) => escape.toUpperCase());
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURI(text);
  } catch {
    return undefined;
  }
}

function groupsOf<T>(values: Iterable<T>, keyOf: (value: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = key === undefined ? undefined : groups.get(key);
    if (group !== undefined) group.push(value);
    else if (key !== undefined) groups.set(key, [value]);
  }
  return groups;
}
