import type { SearchOptions } from './search-options.js';

/**
 * Whether a page is within the domains that a caller asked for: a host itself, and hosts below it.
 *
 * @returns `undefined` where no domains were asked for.
 */
export function askedDomains(search: SearchOptions | undefined): ((url: string) => boolean) | undefined {
  const included = search?.includeDomains;
  const excluded = search?.excludeDomains;
  if (included === undefined && excluded === undefined) return undefined;
  const domains = new Set(included ?? excluded);
  return (url) => isBelow(hostOf(url), domains) === (included !== undefined);
}

/** In lower case and with A-labels; `''` for an address without one. */
function hostOf(url: string): string {
  try {
    return new URL(url).hostname.replace(/\.$/, '');
  } catch {
    return '';
  }
}

function isBelow(host: string, domains: ReadonlySet<string>): boolean {
  for (let at = 0; at !== -1; at = nextLabel(host, at)) if (domains.has(host.slice(at))) return true;
  return false;
}

/** @returns -1 behind the last label. */
function nextLabel(host: string, at: number): number {
  const dot = host.indexOf('.', at);
  return dot === -1 ? -1 : dot + 1;
}
