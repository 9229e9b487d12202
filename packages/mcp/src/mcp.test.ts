import { describe, expect, it } from 'vitest';
import { mcp } from './mcp.js';

describe('mcp', () => {
  it('is an extension with its own path', () => {
    expect(mcp()).toMatchObject({ name: 'mcp', path: '/api/v1/mcp' });
  });

  it.each([
    [
      { model: 'exa/answer' },
      'mcp.model: found an unknown option, expected one of defaultModel, search, fetch, origins.',
    ],
    [{ defaultModel: 1 }, 'mcp.defaultModel: found 1, expected a string such as "exa/answer".'],
    [{ defaultModel: '' }, 'mcp.defaultModel: found ""'],
    [{ search: 1 }, 'mcp.search: found 1, expected a string such as "exa/auto".'],
    [{ fetch: true }, 'mcp.fetch: found true, expected a string such as "exa/contents".'],
    [{ origins: 'https://a.example' }, 'mcp.origins: found "https://a.example", expected an array.'],
    [{ origins: ['a.example'] }, 'mcp.origins[0]: found "a.example", expected an origin such as'],
    [{ origins: ['https://A.example'] }, 'mcp.origins[0]: found "https://A.example"'],
    [{ origins: ['ftp://a.example'] }, 'mcp.origins[0]: found "ftp://a.example"'],
    [{ origins: ['https://a.example/'] }, 'mcp.origins[0]: found "https://a.example/"'],
  ])('refuses %j', (options, message) => {
    expect(() => mcp(options as object)).toThrow(message);
  });
});

function reasonFor(headers: Record<string, string>, listed: readonly string[] = []): unknown {
  try {
    mcp({ origins: listed }).checkHeaders?.((name) => headers[name]);
  } catch (error) {
    return (error as { reason: unknown }).reason;
  }
  return undefined;
}

describe('a request', () => {
  it.each<[string, Record<string, string>]>([
    ['without Origin', { host: 'api.example.com' }],
    ['of the own host', { origin: 'https://api.example.com', host: 'api.example.com' }],
    ['of the own host with its port', { origin: 'https://api.example.com:8443', host: 'api.example.com:8443' }],
    ['of the own host with the usual port', { origin: 'https://api.example.com', host: 'API.example.com:443' }],
    ['of the own host over HTTP/2', { origin: 'https://api.example.com', ':authority': 'api.example.com' }],
    ['of localhost', { origin: 'http://localhost:3000', host: 'localhost:3000' }],
    ['of IPv4 loopback', { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }],
    ['of IPv6 loopback', { origin: 'http://[::1]:3000', host: '[::1]:3000' }],
  ])('%s passes', (_what, headers) => {
    expect(reasonFor(headers)).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['of another host', { origin: 'https://evil.example', host: 'api.example.com' }],
    ['of another port', { origin: 'http://localhost:3001', host: 'localhost:3000' }],
    ['of another loopback name', { origin: 'http://localhost:3000', host: '127.0.0.1:3000' }],
    ['of a name that may be rebound', { origin: 'http://evil.example:3000', host: 'evil.example:3000' }],
    [
      'of a name that begins like loopback',
      { origin: 'http://localhost.evil.example', host: 'localhost.evil.example' },
    ],
    ['of a sandboxed page', { origin: 'null', host: 'localhost' }],
    ['with an empty Origin', { origin: '', host: 'localhost' }],
    ['with several origins', { origin: 'https://a.example, https://b.example', host: 'a.example' }],
    ['with credentials in its Origin', { origin: 'http://localhost@evil.example', host: 'localhost' }],
    ['of an extension', { origin: 'chrome-extension://abc', host: 'abc' }],
    ['to no host', { origin: 'https://api.example.com' }],
    ['to no valid host', { origin: 'https://api.example.com', host: 'a b' }],
  ])('%s is refused', (_what, headers) => {
    expect(reasonFor(headers)).toBe('origin_not_allowed');
  });

  it('passes if its origin is listed, to the letter', () => {
    const headers = { origin: 'https://chat.example.com', host: 'api.example.com' };
    expect(reasonFor(headers, ['https://chat.example.com'])).toBeUndefined();
    expect(reasonFor(headers, ['https://chat.example.com:444'])).toBe('origin_not_allowed');
  });
});
