import { isIPv4, isIPv6 } from 'node:net';
import type { Logger } from '../base/events/logger.js';
import { describeValue } from '../base/options/parse-options.js';
import { type AuthenticatedRequest, type CallerRequest, viewOf } from './caller-request.js';

export interface ClientAddressOptions {
  /** Returns the address of a caller. @default the address that the adapter reports */
  readonly clientAddress?: ((request: AuthenticatedRequest<never>) => string | undefined) | undefined;
  readonly logger: Logger;
}

/**
 * Builds a function that returns the group in which a caller is counted; `undefined` for a caller with an unknown address. The function never throws: an
 * unreadable address is logged and counts as unknown.
 */
export function clientGroupReader({ clientAddress, logger }: ClientAddressOptions) {
  const addressOf: (request: CallerRequest) => unknown =
    clientAddress === undefined
      ? adapterAddressReader(logger)
      : (request) => clientAddress(viewOf(request) as AuthenticatedRequest<never>);

  return (request: CallerRequest): string | undefined => {
    try {
      return groupOf(addressOf(request));
    } catch (error) {
      logger.error({ error }, 'the address of a client could not be read');
      return undefined;
    }
  };
}

/** Reads the address that the adapter reports. Warns once if that is the address of a proxy, which many callers share. */
function adapterAddressReader(logger: Logger): (request: CallerRequest) => string | undefined {
  let hasWarned = false;
  return (request) => {
    const { clientAddress: address } = request;
    if (hasWarned || address === undefined) return address;
    const forwarded = request.header('x-forwarded-for');
    if (forwarded === undefined || forwarded.split(',').some((each) => each.trim() === address)) return address;
    hasWarned = true;
    logger.warn(
      { address },
      'X-Forwarded-For comes and no proxy is trusted: callers behind one share its address. Set `trust proxy` of Express, `proxy` of Koa, `trustProxy` of the server, or `clientAddress`',
    );
    return address;
  };
}

function groupOf(address: unknown): string | undefined {
  if (address === undefined || address === null) return undefined;
  if (typeof address === 'string') return clientGroup(address);
  // A promise that rejects must not end the process.
  Promise.resolve(address).catch(() => undefined);
  throw new TypeError(`clientAddress: found ${describeValue(address)}, expected a string or undefined`);
}

const MAX_ADDRESS_CHARACTERS = 100;

/**
 * The group in which a client address is counted: an IPv4 address, or an IPv6 network of 64 bits, which usually belongs to a single caller. An IPv4 address in
 * the form of IPv6 (`::ffff:192.0.2.1`) counts as the IPv4 address. Any other text is a group by itself.
 *
 * @returns `undefined` for an empty text, and for more than 100 characters.
 */
export function clientGroup(address: string): string | undefined {
  if (address === '' || address.length > MAX_ADDRESS_CHARACTERS) return undefined;
  const [, ipv4 = ''] = DOTTED.exec(address) ?? [];
  if (isIPv4(ipv4)) return ipv4;
  if (!isIPv6(address)) return address;
  const words = wordsOf(address.replace(/%.*/, ''));
  const [ipv4High = 0, ipv4Low = 0] = words.slice(6);
  if (words.slice(0, 6).join() === MAPPED) return [...bytesOf(ipv4High), ...bytesOf(ipv4Low)].join('.');
  const network = words.slice(0, 4).map((word) => word.toString(16));
  return `${network.join(':')}::/64`;
}

/** Node's form of most client addresses. A shortcut, because parsing all eight numbers takes about 5 µs. */
const DOTTED = /^::ffff:([\d.]+)$/i;

/** The prefix of an IPv6 address that stands for an IPv4 address (RFC 4291 §2.5.5.2). */
const MAPPED = [0, 0, 0, 0, 0, 0xff_ff].join();

/** The eight numbers of an IPv6 address. */
function wordsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [numbersOf(head), numbersOf(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return [...first, ...zeros, ...last];
}

function numbersOf(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((word) => (word.includes('.') ? ipv4Numbers(word) : [Number.parseInt(word, 16)]));
}

/** The last 32 bits may be written as an IPv4 address. */
function ipv4Numbers(address: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function bytesOf(word: number): [number, number] {
  return [word >> 8, word & 255];
}
