import { domainToASCII, domainToUnicode } from 'node:url';
import { hasMoreCharacters } from '../options/has-more-characters.js';

/** The longest host name there is, in ASCII. */
export const MAX_DOMAIN_CHARACTERS = 253;
/** What may stand in a host name before it is put into ASCII: no path, port, wildcard, percent sign, white space or other ASCII mark. */
const PLAIN = /^[a-z\d.\-\u0080-\uffff]+$/i;
/** Two labels or more, the last of which is no number: addresses of machines are no domains. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:[a-z]{2,63}|xn--[a-z\d-]{0,58}[a-z\d])$/;

/** @returns a host name in lower case, international labels as A-labels; `undefined` for whatever is none. */
export function readDomain(value: unknown): string | undefined {
  if (typeof value !== 'string' || hasMoreCharacters(value, MAX_DOMAIN_CHARACTERS) || !PLAIN.test(value))
    return undefined;
  const domain = domainToASCII(value);
  return domain.length <= MAX_DOMAIN_CHARACTERS && HOST_NAME.test(domain) && isDecodable(domain) ? domain : undefined;
}

const A_LABEL = /(?:^|\.)xn--/;

/** Whether its A-labels stand for something, and not for one again: Node 24 passes on those that do not, and leaves them as they are. */
function isDecodable(domain: string): boolean {
  return !A_LABEL.test(domainToUnicode(domain));
}
