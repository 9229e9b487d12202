import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallerRequest } from './caller-request.js';
import { clientGroup, clientGroupReader } from './client-address.js';

describe('clientGroup', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['tenant-7', 'tenant-7'],
  ])('puts %s into %s', (address, group) => {
    expect(clientGroup(address)).toBe(group);
  });

  it('returns no group for an empty text and for more than 100 characters', () => {
    expect(clientGroup('')).toBeUndefined();
    expect(clientGroup('x'.repeat(100))).toBe('x'.repeat(100));
    expect(clientGroup('x'.repeat(101))).toBeUndefined();
    expect(clientGroup(`::1%${'x'.repeat(97)}`)).toBeUndefined();
  });

  const word = fc.integer({ min: 0, max: 0xff_ff });
  const half = fc.tuple(word, word, word, word);
  const written = (words: readonly number[]) => words.map((each) => each.toString(16)).join(':');

  it('groups the addresses of a network of 64 bits in any notation, and no others', () => {
    fc.assert(
      fc.property(half, half, half, (network, other, host) => {
        fc.pre(network.join() !== other.join());
        // IPv4 in the form of IPv6 begins with zeros.
        fc.pre(network.some((each) => each > 0));
        const [address, short] = [written([...network, ...host]), `${written(network)}::`];
        const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
        const group = clientGroup(short);
        expect([clientGroup(address), clientGroup(address.toUpperCase()), clientGroup(shortest)]).toEqual([
          group,
          group,
          group,
        ]);
        expect(clientGroup(written([...other, ...host]))).not.toBe(group);
      }),
    );
  });

  it('returns the same group for an IPv4 address in the form of IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(clientGroup(`::ffff:${address}`)).toBe(address);
      }),
    );
  });
});

describe('clientGroupReader', () => {
  const request = (more: Partial<CallerRequest> = {}): CallerRequest => ({
    method: 'GET',
    path: '/api/v1/key',
    header: (name) => ({ 'cf-connecting-ip': '198.51.100.7' })[name],
    ...more,
  });
  function reader(clientAddress?: (request: { header(name: string): string | undefined }) => unknown) {
    const logged: unknown[] = [];
    const log = ({ error }: { readonly error?: unknown }, message: string) =>
      logged.push(`${message}: ${String(error)}`);
    const options = { clientAddress: clientAddress as never, logger: { warn: log, error: log } };
    return { read: clientGroupReader(options), logged };
  }

  it('reads the address of the adapter, if any', () => {
    expect(reader().read(request({ clientAddress: '::ffff:192.0.2.1' }))).toBe('192.0.2.1');
    expect(reader().read(request())).toBeUndefined();
  });

  it('uses the address of the host instead, also an unknown address', () => {
    const { read, logged } = reader(({ header }) => header('cf-connecting-ip'));
    expect(read(request({ clientAddress: '192.0.2.1' }))).toBe('198.51.100.7');
    expect(reader(() => undefined).read(request({ clientAddress: '192.0.2.1' }))).toBeUndefined();
    expect(reader(() => null).read(request({ clientAddress: '192.0.2.1' }))).toBeUndefined();
    expect(logged).toEqual([]);
  });

  it.each<[string, () => unknown, string]>([
    ['throws', throwBug, 'Error: bug'],
    ['gives a number', () => 7, 'TypeError: clientAddress: found 7, expected a string or undefined'],
    [
      'gives a promise that rejects',
      () => Promise.reject(new Error('bug')),
      'TypeError: clientAddress: found a Promise, which has to be awaited, expected a string or undefined',
    ],
  ])('logs a hook that %s, and knows no address then', (_name, hook, error) => {
    const { read, logged } = reader(hook);
    expect(read(request({ clientAddress: '192.0.2.1' }))).toBeUndefined();
    expect(logged).toEqual([`the address of a client could not be read: ${error}`]);
  });

  it('logs an adapter’s address that cannot be read', () => {
    const { read, logged } = reader();
    const broken = Object.defineProperty(request(), 'clientAddress', { get: throwBug });
    expect(read(broken)).toBeUndefined();
    expect(logged).toHaveLength(1);
  });
});

function throwBug(): never {
  throw new Error('bug');
}
