/**
 * Takes a query parameter, such as the `utm_source=openai` by which a vendor counts its visitors, out of an address, or out of all
 * those in a text. Everything else stays to the letter.
 */
export function withoutParameter(text: string, parameter: string): string {
  if (!text.includes(parameter)) return text;
  const literal = parameter.replaceAll(/[^\w-]/g, '\\$&');
  return text
    .replaceAll(new RegExp(`\\?(?:${literal}&)+`, 'g'), '?')
    .replaceAll(new RegExp(`[?&]${literal}(?!\\.?[\\w~%+-])`, 'g'), '');
}

/** The host a page is on, in lower case and without `www.`; empty when the address has none. */
export function siteOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}
