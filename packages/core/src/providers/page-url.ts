/**
 * An address without the query parameters of these names (or these `name=value` pairs), such as those a vendor adds to count its visitors. Everything
 * else stays to the letter.
 */
export function withoutParameters(url: string, unwanted: readonly string[]): string {
  const [, page = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?([^]*)$/.exec(url) ?? [];
  if (query === undefined) return url;
  const wanted = query
    .split('&')
    .filter((pair) => !unwanted.includes(pair) && !unwanted.includes(pair.split('=')[0] ?? ''));
  if (wanted.length === query.split('&').length) return url;
  return page + (wanted.length === 0 ? '' : `?${wanted.join('&')}`) + fragment;
}

/** The host a page is on, in lower case and without `www.`; empty when the address has none. */
export function siteOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}
