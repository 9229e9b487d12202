import { BlockList, isIP } from 'node:net';
import type { AuthenticatedRequest } from '@searchgate/core';
import { z } from 'zod';

/** The trusted proxies in front of the server: their number, or their addresses and networks. */
export type TrustProxy = number | readonly string[];

const MAX_PROXIES = 32;
const COUNT = `how many proxies there are, from 0 to ${MAX_PROXIES}`;
const TRUST_PROXY = `${COUNT}, or their addresses and networks such as ["10.0.0.0/8"]`;
const NETWORK = 'an address or a network such as "10.0.0.0/8"';

export const trustProxySchema = z.union(
  [
    z.int(COUNT).min(0, COUNT).max(MAX_PROXIES, COUNT),
    z.array(z.string(NETWORK).refine(isNetwork, NETWORK)).min(1, TRUST_PROXY).readonly(),
  ],
  TRUST_PROXY,
);

/** The form of the variable: `1`, or `10.0.0.0/8,192.0.2.7`. */
export const trustProxyVariable = z
  .string()
  .refine(
    (text) => trustProxySchema.safeParse(ofVariable(text)).success,
    TRUST_PROXY.replace('["10.0.0.0/8"]', '10.0.0.0/8,192.0.2.7'),
  )
  .transform(ofVariable);

type Forwarded = Pick<AuthenticatedRequest, 'header' | 'clientAddress'>;

/**
 * Builds a function that finds a caller's address behind proxies. Each proxy appends its client to `X-Forwarded-For`; the function goes backwards from the
 * connection, past the given number of proxies or to the first address that is not a proxy. Callers can forge all earlier addresses.
 */
export function clientAddressBehind(trusted: TrustProxy): (request: Forwarded) => string | undefined {
  const isTrusted = trustedAt(trusted);
  return ({ header, clientAddress }) => {
    let address = clientAddress;
    const forwarded = header('x-forwarded-for')?.split(',') ?? [];
    for (let hop = 0; address !== undefined && hop < MAX_PROXIES && isTrusted(address, hop); hop += 1) {
      const before = addressIn(forwarded.at(-1 - hop));
      if (before === undefined) break;
      address = before;
    }
    return address;
  };
}

/** Builds a function that tells whether a connection comes from a trusted proxy. If only their number is known, every connection may. */
export function proxyConnections(trusted: TrustProxy): (address: string) => boolean {
  const isTrusted = trustedAt(trusted);
  return (address) => isTrusted(address, 0);
}

function trustedAt(trusted: TrustProxy): (address: string, hop: number) => boolean {
  return typeof trusted === 'number' ? (_address, hop) => hop < trusted : within(trusted);
}

function ofVariable(text: string): TrustProxy {
  return /^\d+$/.test(text) ? Number(text) : text.split(',').map((each) => each.trim());
}

function within(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = familyOf(address);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function isNetwork(text: string): boolean {
  const [, address = '', bits = '0'] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && !address.includes('%') && Number(bits) <= (version === 4 ? 32 : 128);
}

/** Some proxies append a port. @returns `undefined` for text that is not an address. */
function addressIn(entry = ''): string | undefined {
  const text = entry.trim();
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const address = bracketed ?? (text.includes('.') ? text.replace(/^([\d.]+):\d+$/, '$1') : text);
  return isIP(address) === 0 ? undefined : address;
}
