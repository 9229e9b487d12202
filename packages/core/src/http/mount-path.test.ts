import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConfigurationError } from '../base/errors/configuration-error.js';
import { checkMount, isCalledBy, stripMountPath } from './mount-path.js';

describe('stripMountPath', () => {
  it('removes the prefix from paths below it, and recognizes other paths', () => {
    const strip = stripMountPath('/apps/search');
    expect(strip('/apps/search/api/v1/key')).toBe('/api/v1/key');
    expect([strip('/apps/search'), strip('/apps/search?a=1')]).toEqual(['', '?a=1']);
    for (const other of ['/api/v1/key', '/apps/searching/api/v1/key', '/apps/search2', ''])
      expect([other, strip(other)]).toEqual([other, null]);
  });

  it('leaves paths alone without a prefix', () => {
    expect(stripMountPath()('/api/v1/key')).toBe('/api/v1/key');
    expect(stripMountPath('')('/api/v1/key')).toBe('/api/v1/key');
  });

  it.each(['/', 'search', '/search/', '//search', '/a b', '/search?x=1', '/:id', '/search/*', 7, null])(
    'refuses %j',
    (prefix) => {
      expect(() => stripMountPath(prefix as string)).toThrow(/^prefix: found .*, expected a path such as "\/search"/);
    },
  );
});

const gateway = { handle: () => Promise.resolve(undefined) };

describe('checkMount', () => {
  it('takes a gateway with known options, and with options that are undefined', () => {
    expect(() => checkMount(gateway, { prefix: '/search' }, ['prefix'])).not.toThrow();
    expect(() => checkMount(gateway, { prefix: undefined }, ['prefix', 'otherwise'])).not.toThrow();
    expect(() => checkMount(gateway, {}, ['prefix'])).not.toThrow();
  });

  it.each([
    [undefined, {}, 'gateway: found nothing, expected a gateway'],
    [null, {}, 'gateway: found null, expected a gateway'],
    [Promise.resolve(gateway), {}, 'gateway: found a Promise, which has to be awaited, expected a gateway'],
    [{ handle: 'no function' }, {}, 'gateway: found an object, expected a gateway'],
    [gateway, null, 'options: found null, expected an object'],
    [gateway, '/search', 'options: found "/search", expected an object'],
    [gateway, ['/search'], 'options: found an array of 1, expected an object'],
    [gateway, { prefx: '/search' }, 'prefx: found an unknown option, expected one of prefix'],
  ])('refuses %o with %j', (given, options, message) => {
    expect(() => checkMount(given, options, ['prefix'])).toThrow(ConfigurationError);
    expect(() => checkMount(given, options, ['prefix'])).toThrow(message);
  });
});

const next = () => undefined;

it.each([
  ['express', 'Koa calls (ctx, next)'],
  ['koa', 'Hono calls (context, next)'],
  ['fetch', 'Hono calls (context, next)'],
] as const)('a mount of %s throws where %s', (framework, _who) => {
  expect(() => isCalledBy(framework, [undefined], [{}, next])).toThrow(
    ': found a call of another framework, expected a call',
  );
});

it.each(['express', 'koa'] as const)(
  'a router of %s in node:http warns, answers 500, and the process goes on',
  async (framework) => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const listener: RequestListener = (req, response) => {
      isCalledBy(framework, [undefined], [req, response]);
    };
    const server = createServer(listener).listen(0);
    onTestFinished(() => {
      server.close();
      warnings.mockRestore();
    });
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method: 'POST' });
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('not mounted')]);
    expect(warnings.mock.calls[0]?.[0]).toContain('Elsewhere use @searchgate/express, @searchgate/koa, handleNode');
  },
);
