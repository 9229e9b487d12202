import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A fake Exa on loopback that holds every request until the test answers it. */
export interface HeldUpstream {
  readonly url: string;
  /** Resolves when the first request has arrived. */
  readonly asked: Promise<unknown>;
  /** Number of requests so far. */
  asks(): number;
  answer(): void;
}

/** Exa's reply. */
export const HELD_REPLY = JSON.stringify({
  requestId: 'held',
  answer: 'It opened in May 2021 [1].',
  citations: [{ id: 'https://example.org/zephyr', title: 'Zephyr Bridge opens', url: 'https://example.org/zephyr' }],
  costDollars: { total: 0.005 },
});

export async function startHeldUpstream(): Promise<HeldUpstream> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asks = 0;
  const server = createServer((_request, response) => {
    asks += 1;
    void released.then(() => response.setHeader('Content-Type', 'application/json').end(HELD_REPLY));
  });
  const asked = once(server, 'request');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    asks: () => asks,
    answer: release,
  };
}
