import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { parseUrl } from '../base/parse-url.js';

const MAX_URL_CHARACTERS = 2_048;

/**
 * Networks that are not part of the public internet (IANA special-purpose address registries, read 2026-11-26). Two lists, because an IPv6 network of a list
 * covers IPv4 addresses too.
 */
const PRIVATE_IPV4 = listOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
/** All but the global unicast addresses; of these the networks of documentation, benchmarks, Teredo and 6to4, which may carry private IPv4 addresses. */
const PRIVATE_IPV6 = listOf('ipv6', [
  '::/3',
  '4000::/2',
  '8000::/1',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]);

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Names that only a private network resolves (RFC 6761, RFC 6762, RFC 8375; `internal` is reserved by ICANN since 2024). */
const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|svc|home\.arpa|test|invalid|example|onion)$/;

/**
 * Checks an address whose page is to be read. Vendors fetch pages, not the gateway; but a provider of the host's own may fetch from inside its network, so
 * addresses of private networks are refused.
 *
 * @returns the address as the URL standard writes it, or what is wrong.
 */
export function publicAddress(value: unknown): { readonly url: string } | { readonly problem: string } {
  const url = typeof value === 'string' && /^https?:\/\//i.test(value) ? parseUrl(value) : undefined;
  if (typeof value !== 'string' || url === undefined)
    return { problem: 'must be an http(s) address such as "https://example.org/page"' };
  if (Math.max(value.length, url.href.length) > MAX_URL_CHARACTERS)
    return { problem: `must have at most ${MAX_URL_CHARACTERS} characters` };
  if (url.username !== '' || url.password !== '') return { problem: 'must have no user name and no password' };
  if (isPrivate(url.hostname.replace(/\.+$/, ''))) return { problem: 'must be an address of the public internet' };
  return { url: url.href };
}

function isPrivate(host: string): boolean {
  if (host.startsWith('[')) {
    const address = host.slice(1, -1);
    return !isIPv6(address) || PRIVATE_IPV6.check(address, 'ipv6');
  }
  if (isIPv4(host)) return PRIVATE_IPV4.check(host, 'ipv4');
  return !host.includes('.') || PRIVATE_NAME.test(host);
}
