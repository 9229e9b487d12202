/** A URL within a text. The length of schemes is bounded, so that no text makes the search slow. */
const URL_IN_TEXT = /\b[a-z][a-z\d+.-]{0,15}:\/\/[^\s"'<>]+/gi;
const MASK = '***';

/**
 * Masks the parts of every URL in a text that may be secret: user and password, query and fragment. Only this file decides which parts of a URL may be shown.
 *
 * @param mask the replacement. Default `***`.
 */
export function maskUrls(text: string, mask: string = MASK): string {
  return text.replace(URL_IN_TEXT, (url) => maskUrl(url, mask));
}

/** Masks a text that should be a URL, also if it is malformed. */
export function maskUrl(url: string, mask: string = MASK): string {
  const start = /^(?:[a-z][a-z\d+.-]*:)?\/\//i.exec(url)?.[0].length ?? 0;
  const [scheme, rest] = [url.slice(0, start), url.slice(start)];
  const end = rest.search(/[?#]/);
  const at = rest.lastIndexOf('@');
  if (end === -1) return at === -1 ? url : `${scheme}${mask}${rest.slice(at)}`;
  // Either an @ behind a ? belongs to the query, or the ? belongs to a password: nothing can be shown.
  if (at > end) return `${scheme}${mask}`;
  const place = rest.slice(Math.max(at, 0), end + 1);
  return `${scheme}${at === -1 ? '' : mask}${place}${mask}`;
}
