import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { OUTCOME, streaming } from './scripted-gateway.js';
import { joined, openStream } from './stream-client.js';
import { KEY, listen, QUESTION, start, stopAfterEach } from './stream-host.js';

stopAfterEach();

const BUFFER_BYTES = 16 * 1_024;

/** A proxy that buffers up to 16 kB unless the response forbids it, like nginx. */
function bufferingProxy(to: () => number) {
  return listen((req, res) => {
    const { method, url: path, headers } = req;
    const forwarded = request({ port: to(), host: '127.0.0.1', agent: false, method, path, headers }, (reply) => {
      res.writeHead(reply.statusCode ?? 0, reply.headers);
      const mayBuffer = reply.headers['x-accel-buffering'] !== 'no';
      let kept: Buffer[] = [];
      reply.on('data', (chunk: Buffer) => {
        kept.push(chunk);
        if (mayBuffer && Buffer.concat(kept).length < BUFFER_BYTES) return;
        res.write(Buffer.concat(kept));
        kept = [];
      });
      reply.once('end', () => void res.end(Buffer.concat(kept)));
    });
    req.pipe(forwarded);
  });
}

it('a stream passes a buffering proxy event by event', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const provider = streaming(async (_call, _context, live) => {
    live.citations(OUTCOME.citations);
    live.text('Open since');
    await released;
    return OUTCOME;
  });
  const { host } = await start(provider);
  const proxy = await bufferingProxy(() => (host.server.address() as AddressInfo).port);
  const response = await openStream(proxy.url, { apiKey: KEY, body: JSON.parse(QUESTION) as object });
  expect((await response.count(3)).map(({ event }) => event)).toEqual(['start', 'citations', 'delta']);
  release();
  expect(joined(await response.end())).toBe(OUTCOME.text);
});
