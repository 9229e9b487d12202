import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Served {
  /** Without a trailing slash. */
  readonly url: string;
  close(): Promise<void>;
}

type Listener = (req: IncomingMessage, res: ServerResponse) => void;

/** Serves a listener on a free loopback port. @param onBytes gets all arriving bytes before they are read. */
export async function serve(listener: Listener, onBytes?: (bytes: Buffer) => void): Promise<Served> {
  const server = createServer(listener);
  if (onBytes !== undefined) server.on('connection', (socket: Socket) => socket.prependListener('data', onBytes));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends one request, a POST when it has a body, and reads the whole response. */
export async function send(url: string, headers: Record<string, string>, body?: string): Promise<Reply> {
  const outgoing = httpRequest(url, { method: body === undefined ? 'GET' : 'POST', headers });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text: Buffer.concat(chunks).toString() };
}
