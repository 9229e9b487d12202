import { describe, expect, it } from 'vitest';
import {
  clientAddressBehind,
  isTrusted,
  type TrustProxy,
  trustProxySchema,
  trustProxyVariable,
} from './trusted-proxies.js';

const addressOf = (
  trusted: TrustProxy,
  forwarded: string | undefined,
  clientAddress: string | undefined = '10.0.0.1',
) =>
  clientAddressBehind(trusted)({
    clientAddress,
    header: (name) => (name === 'x-forwarded-for' ? forwarded : undefined),
  });

describe('clientAddressBehind', () => {
  it.each<[string, TrustProxy, string | undefined, string]>([
    ['no proxy: the connection', 0, '192.0.2.1', '10.0.0.1'],
    ['one proxy: whom it names', 1, '192.0.2.1', '192.0.2.1'],
    ['one proxy: not what its caller wrote', 1, '203.0.113.9, 192.0.2.1', '192.0.2.1'],
    ['two proxies', 2, '203.0.113.9, 192.0.2.1, 10.0.0.2', '192.0.2.1'],
    ['more proxies than were passed: the last one named', 3, '192.0.2.1', '192.0.2.1'],
    ['a proxy that names no one', 1, undefined, '10.0.0.1'],
    ['a proxy that names no address', 1, 'unknown', '10.0.0.1'],
    ['a proxy of a network', ['10.0.0.0/8'], '203.0.113.9, 192.0.2.1, 10.9.9.9', '192.0.2.1'],
    ['a proxy of an address', ['10.0.0.1'], '10.0.0.2', '10.0.0.2'],
    ['a caller who is no proxy', ['192.168.0.0/16'], '192.0.2.1', '10.0.0.1'],
    ['proxies alone', ['10.0.0.0/8'], '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a port', 1, '192.0.2.1:1234', '192.0.2.1'],
    ['IPv6', ['10.0.0.1', '2001:db8::/32'], '2001:db9::1, 2001:db8::7', '2001:db9::1'],
    ['IPv6 with a port', 1, '[2001:db9::1]:1234', '2001:db9::1'],
  ])('finds the caller’s address behind %s', (_name, trusted, forwarded, address) => {
    expect(addressOf(trusted, forwarded)).toBe(address);
  });

  it('recognizes an IPv4 proxy in IPv6 form, and returns no address if there is none', () => {
    expect(addressOf(['10.0.0.0/8'], '192.0.2.1', '::ffff:10.0.0.1')).toBe('192.0.2.1');
    const unknown = clientAddressBehind(1)({ clientAddress: undefined, header: () => '192.0.2.1' });
    expect(unknown).toBeUndefined();
  });

  it('follows at most 32 addresses', () => {
    const forwarded = Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`).toReversed();
    expect(addressOf(['10.0.0.0/8'], forwarded.join(', '))).toBe('10.0.0.31');
  });
});

it.each<[TrustProxy, boolean]>([
  [0, false],
  [1, true],
  [['10.0.0.0/8'], true],
  [['192.0.2.7'], false],
])('a connection of 10.0.0.1 may come from the trusted proxies %j: %s', (trusted, expected) => {
  expect(isTrusted(trusted)('10.0.0.1', 0)).toBe(expected);
});

describe('the setting of trusted proxies', () => {
  it.each([-1, 1.5, 33, [], ['proxy.test'], ['10.0.0.0/33'], ['::1/129'], [1], 'x', null, true])(
    'is not %j',
    (value) => {
      expect(trustProxySchema.safeParse(value).success).toBe(false);
    },
  );

  it.each<[string, unknown]>([
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['', undefined],
    ['yes', undefined],
    ['99', undefined],
  ])('is in a variable %j', (text, value) => {
    expect(trustProxyVariable.safeParse(text).data).toEqual(value);
  });
});
