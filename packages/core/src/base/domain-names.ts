import { domainToASCII, domainToUnicode } from 'node:url';
import { hasMoreCharacters } from './options/characters.js';

/** The longest possible host name, in ASCII. */
export const MAX_DOMAIN_CHARACTERS = 253;
/** A host name before its conversion to ASCII: no path, port, wildcard, percent sign, white space or other ASCII mark. */
const PLAIN = /^[a-z\d.\-\u0080-\uffff]+$/i;
/** Two labels or more. The last label is no number, because IP addresses are no domains. */
const HOST_NAME = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?:[a-z]{2,63}|xn--[a-z\d-]{0,58}[a-z\d])$/;
const A_LABEL = /(?:^|\.)xn--/;

/** @returns the host name in lower case, with A-labels for international labels; `undefined` for any other value. */
export function readDomain(value: unknown): string | undefined {
  if (typeof value !== 'string' || hasMoreCharacters(value, MAX_DOMAIN_CHARACTERS) || !PLAIN.test(value))
    return undefined;
  const domain = domainToASCII(value);
  return domain.length <= MAX_DOMAIN_CHARACTERS && HOST_NAME.test(domain) && isDecodable(domain) ? domain : undefined;
}

/** Whether all A-labels of a domain can be decoded. Node 24 returns undecodable A-labels unchanged. */
function isDecodable(domain: string): boolean {
  return !A_LABEL.test(domainToUnicode(domain));
}
