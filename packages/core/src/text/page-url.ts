/**
 * Takes a query parameter, such as the `utm_source=openai` by which a vendor counts its visitors, out of an address, or out of all
 * those in a text. Everything else stays to the letter, so that what is around a parameter never joins to code or to a marker.
 */
export function withoutParameter(text: string, parameter: string): string {
  if (!text.includes(parameter)) return text;
  // Compiling costs more than reading an address, and one reply has thousands of them with one parameter.
  if (patterns.parameter !== parameter) patterns = patternsOf(parameter);
  const { first, other } = patterns;
  return text.replaceAll(ADDRESS, (address) => address.replaceAll(first, '?').replaceAll(other, ''));
}

/** Up to what ends an address in Markdown for certain. */
const ADDRESS = /https?:\/\/[^\s`[\]【】]*/g;

let patterns = patternsOf('');

function patternsOf(parameter: string) {
  const literal = parameter.replaceAll(/[^\w-]/g, '\\$&');
  return {
    parameter,
    first: new RegExp(`\\?(?:${literal}&)+`, 'g'),
    other: new RegExp(`[?&]${literal}(?!\\.?[\\w~%+-])`, 'g'),
  };
}

/** The host a page is on, in lower case and without `www.`; empty when the address has none. */
export function siteOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : '';
}
