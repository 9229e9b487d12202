import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** 32 bytes. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A request with a valid signature. */
interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly payload: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** A status, or a function that handles the response. */
export type Reply = number | ((res: ServerResponse) => void);

/** A loopback server that verifies webhooks with the library. It uses each reply once, then sends 204. */
export async function startReceiver(replies: Reply[] = [], { port = 0, isVerifying = true } = {}) {
  const received: Received[] = [];
  const bodies: string[] = [];
  const state = { requests: 0 };
  const verifier = new Webhook(SECRET);
  const server = createServer((req, res) => void take(req, res));

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    state.requests += 1;
    bodies.push(body);
    // Throws for an invalid signature, and for a timestamp too far from the real time.
    if (isVerifying) {
      const payload = verifier.verify(body, req.headers as Record<string, string>) as Received['payload'];
      received.push({ id: String(req.headers['webhook-id']), headers: req.headers, payload });
    }
    const reply = replies.shift() ?? 204;
    if (typeof reply === 'number') res.writeHead(reply).end();
    else reply(res);
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}/hooks`,
    port: listening,
    received,
    /** Of every request, also of those without a signature. */
    bodies,
    /** Number of requests so far. */
    requests: () => state.requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Turns the event loop until the condition holds; else the test times out. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}
