import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** 32 bytes. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A request with a signature that is right. */
interface Received {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly payload: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** A status, or what is done with the response instead. */
export type Reply = number | ((res: ServerResponse) => void);

/** A server on loopback that takes webhooks, verified with the library. It gives each of its replies once, and then 204. */
export async function startReceiver(replies: Reply[] = [], { port = 0, isVerifying = true } = {}) {
  const received: Received[] = [];
  const state = { requests: 0 };
  const verifier = new Webhook(SECRET);
  const server = createServer((req, res) => void take(req, res));

  async function take(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await text(req);
    state.requests += 1;
    // Throws where the signature is wrong, or by the real time too old or too new.
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
    /** How many have come. */
    requests: () => state.requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Lets the event loop turn until something is so. It fails by the time limit of its test. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await nextTurn();
}
