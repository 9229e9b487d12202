/** An address within a text. Schemes are short, so that no text makes the search slow. */
const URL_IN_TEXT = /\b[a-z][a-z\d+.-]{0,15}:\/\/[^\s"'<>]+/gi;
const MASK = '***';

/**
 * Hides what may be secret in every address of a text: user and password, query and fragment. The one place that decides what of an
 * address may be shown.
 *
 * @param mask what is shown instead. Default `***`.
 */
export function maskUrls(text: string, mask: string = MASK): string {
  return text.replace(URL_IN_TEXT, (url) => maskUrl(url, mask));
}

/** The same for a text that is meant as one address, whether it is one or not. */
export function maskUrl(url: string, mask: string = MASK): string {
  const start = /^(?:[a-z][a-z\d+.-]*:)?\/\//i.exec(url)?.[0].length ?? 0;
  const [scheme, rest] = [url.slice(0, start), url.slice(start)];
  const end = rest.search(/[?#]/);
  const at = rest.lastIndexOf('@');
  if (end === -1) return at === -1 ? url : `${scheme}${mask}${rest.slice(at)}`;
  // An @ behind a ? belongs to the query, or the ? to a password: nothing of it can be shown.
  if (at > end) return `${scheme}${mask}`;
  const place = rest.slice(Math.max(at, 0), end + 1);
  return `${scheme}${at === -1 ? '' : mask}${place}${mask}`;
}
