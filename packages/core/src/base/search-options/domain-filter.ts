import { parseUrl } from '../parse-url.js';
import type { SearchOptions } from './search-options.js';

/**
 * Returns a function that tells whether a page is within the requested domains: their hosts, and hosts below.
 *
 * @returns `undefined` if no domains were requested.
 */
export function domainFilter(search: SearchOptions | undefined): ((url: string) => boolean) | undefined {
  const included = search?.includeDomains;
  const excluded = search?.excludeDomains;
  if (included === undefined && excluded === undefined) return undefined;
  const domains = new Set(included ?? excluded);
  return (url) => isBelow(hostOf(url), domains) === (included !== undefined);
}

/** The host of an address in lower case, with A-labels and without a final dot; `''` for a text that is no address. */
export function hostOf(url: string): string {
  return parseUrl(url)?.hostname.replace(/\.$/, '') ?? '';
}

/** Whether a host is one of the domains, or below one. */
export function isBelow(host: string, domains: ReadonlySet<string>): boolean {
  for (let at = 0; at !== -1; at = nextLabel(host, at)) if (domains.has(host.slice(at))) return true;
  return false;
}

/** @returns the index of the next label; -1 after the last label. */
function nextLabel(host: string, at: number): number {
  const dot = host.indexOf('.', at);
  return dot === -1 ? -1 : dot + 1;
}
