import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { isCalledBy } from './is-called-by.js';

const next = () => undefined;

it.each([
  ['express', 'Koa calls (ctx, next)'],
  ['koa', 'Hono calls (context, next)'],
  ['fetch', 'Hono calls (context, next)'],
] as const)('a mount of %s throws where %s', (framework, _who) => {
  expect(() => isCalledBy(framework, false, [{}, next])).toThrow(
    ': found a call of another framework, expected a call',
  );
});

it.each(['express', 'koa'] as const)(
  'a router of %s in node:http warns, answers 500, and the process goes on',
  async (framework) => {
    const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const listener: RequestListener = (req, response) => {
      isCalledBy(framework, false, [req, response]);
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
