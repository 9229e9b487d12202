import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeServer } from './close-server.js';

async function serve(listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async () => {
    const [response] = (await once(get({ port, host: '127.0.0.1', agent }), 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return response.headers.connection;
  };
  return { server, port, ask };
}

/** Longer than any test may take. */
const NEVER_CUT = { lastResponsesMs: 600_000 };

describe('closeServer', () => {
  it('makes every further response the last response of its connection', async () => {
    const waiting: (() => void)[] = [];
    const { server, port } = await serve((_req, res) => void waiting.push(() => res.end('here')));
    const socket = connect(port, '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => (received += text));
    const gone = once(socket, 'close');
    const REQUEST = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
    socket.write(REQUEST);
    await once(server, 'request');
    // Never ends: what closes the connection is the response alone.
    void closeServer(server, new Promise(() => undefined));
    const second = once(server, 'request');
    socket.write(REQUEST);
    await second;
    for (const answer of waiting) answer();
    await gone;
    expect(received.match(/^connection: .*/gim)).toEqual(['Connection: keep-alive', 'connection: close']);
  });

  it('closes a connection whose last response was sent while the calls ended', async () => {
    let finish = (): void => undefined;
    const { server, ask } = await serve((_req, res) => {
      finish = () => res.end('late');
    });
    const asked = once(server, 'request');
    const answered = ask();
    await asked;
    const closed = closeServer(server, answered, NEVER_CUT);
    finish();
    expect(await answered).toBe('keep-alive');
    await closed;
  });

  it('closes open connections shortly after the last call, and rejects with the error of the calls', async () => {
    const { server, port } = await serve(() => undefined);
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(server, 'request');
    const failed = Promise.reject(new Error('a ledger that is gone'));
    const cut = once(socket, 'close');
    await expect(closeServer(server, failed, { lastResponsesMs: 10 })).rejects.toThrow('a ledger that is gone');
    await cut;
  });
});
