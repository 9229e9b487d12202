import { parseUrl } from '../base/parse-url.js';
import { hostOf } from '../base/search-options/domain-filter.js';
import type { ExtractedPage, FailedPage } from '../provider-kit/provider.js';
import { webAddress } from '../text/page-fields.js';
import { MAX_URL_CHARACTERS } from '../text/reply-limits.js';

type Page = ExtractedPage | FailedPage;

interface Found {
  readonly page?: Page | undefined;
  /** The address of the page, if it is of another host than was asked for, or did not tell that the page was asked for. */
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
  for (const nameOf of NAMES)
    for (const formOf of FORMS) {
      if (found.size === urls.length) return found;
      const named = Array.from(left, (page) => ({ page, form: formOf(nameOf(page)) }));
      const asked = urls.filter((url) => !found.has(url)).map((url) => ({ url, form: formOf(url) }));
      for (const { url, form } of asked) {
        const page = onlyPage(named.filter((each) => each.form === form).map((each) => each.page));
        if (page === undefined || asked.some((other) => other.form === form && other.url !== url)) continue;
        found.set(url, { page, resolvedUrl: otherHost(page, url) });
        left.delete(page);
      }
    }
  const [url, ...others] = urls.filter((each) => !found.has(each));
  if (url !== undefined && others.length === 0) found.set(url, onlyStranger(left, urls));
  return found;
}

/** The address of a page at another host than was asked for. Vendors write hosts with and without `www.`. */
function otherHost(page: Page, url: string): string | undefined {
  const hostIn = (address: string) => hostOf(address).replace(/^www\./, '');
  const named = NAMES.map((nameOf) => webAddress(nameOf(page)));
  return named.find((each) => each !== undefined && hostIn(each) !== hostIn(url));
}

/** The page whose address is none of those that were asked for, if there is one such page. */
function onlyStranger(pages: Iterable<Page>, urls: readonly string[]): Found {
  const asked = new Set(urls.map(bareForm));
  const page = onlyPage(
    Array.from(pages).filter((each) => NAMES.every((nameOf) => !asked.has(bareForm(nameOf(each))))),
  );
  return page === undefined ? {} : { page, resolvedUrl: webAddress(page.otherUrl ?? page.url) };
}

/** The page, if all have the same address. */
function onlyPage([page, ...others]: readonly Page[]): Page | undefined {
  return others.every((other) => other.url === page?.url) ? page : undefined;
}

type Form = (address: unknown) => string | undefined;

/** All forms of the first name come before the second name. */
const NAMES = [(page: Page) => page.url, (page: Page) => page.otherUrl] as const;
const FORMS: readonly Form[] = [writtenForm, standardForm, bareForm];

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

/** Path and query. Escapes of ASCII are decoded where that changes no meaning, as `%7E` is `~`, but `%2F` is no slash. */
function pathOf({ pathname, search }: URL): string {
  const path = pathname.replace(/\/$/, '') + search;
  return path.replace(/%[\da-f]{2}/gi, (escape) => {
    const upper = escape.toUpperCase();
    return /%(?!25)[2-7]/.test(upper) ? decodeURI(upper) : upper;
  });
}
