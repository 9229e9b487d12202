import { parseUrl } from '../base/parse-url.js';

/**
 * Removes a query parameter, such as the `utm_source=openai` with which a vendor counts visitors, from all addresses in a text. The rest stays unchanged, so that
 * the text around a parameter never becomes code or a marker.
 */
export function withoutParameter(text: string, parameter: string): string {
  if (!text.includes(parameter)) return text;
  // Compiling a pattern takes longer than reading an address, and a reply may have thousands of addresses with the same parameter.
  if (patterns.parameter !== parameter) patterns = patternsOf(parameter);
  const { first, other } = patterns;
  return text.replaceAll(ADDRESS, (address) => address.replaceAll(first, '?').replaceAll(other, ''));
}

/** An address, up to a character that certainly ends it in Markdown. */
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

/** The host of an address, in lower case and without `www.`; empty for an address without a host. */
export function siteOf(url: string): string {
  return parseUrl(url)?.hostname.replace(/^www\./, '') ?? '';
}
