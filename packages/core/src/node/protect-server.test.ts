import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ProtectServerOptions, protectServer } from './protect-server.js';

const UNFINISHED = 'GET / HTTP/1.1\r\nhost: x\r\nx-long: ';
const TRIES = 12;

async function serve(options: ProtectServerOptions) {
  const server = createServer((_req, res) => res.end('served'));
  protectServer(server, options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;

  /** Opens connections that never finish their headers, one after the other. @returns those that the server keeps. */
  async function hold(localAddress: string, count: number): Promise<() => number> {
    const own: Socket[] = [];
    for (let opened = 0; opened < count; opened += 1) {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined).resume();
      own.push(socket);
      sockets.push(socket);
      const accepted = once(server, 'connection');
      await once(socket, 'connect');
      socket.write(UNFINISHED);
      await accepted;
    }
    return () => own.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length;
  }

  async function ask(localAddress: string): Promise<number | undefined> {
    const outgoing = get({ port, host: '127.0.0.1', localAddress, agent: false });
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return response.resume().statusCode;
  }
  return { server, hold, ask };
}

describe('protectServer', () => {
  it('gives an address a quarter of all connections, and serves the others', async () => {
    const { hold, ask } = await serve({ maxConnections: 16 });
    const held = await hold('127.0.0.2', TRIES);
    await expect.poll(held).toBe(4);
    expect(await ask('127.0.0.3')).toBe(200);
    await expect(ask('127.0.0.2')).rejects.toThrow(/ECONNRESET|socket hang up/);
  });

  it('takes room for a new address from the address with the most connections, if it is full', async () => {
    const { hold, ask } = await serve({ maxConnections: 8 });
    const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
    const held: (() => number)[] = [];
    for (const address of addresses) held.push(await hold(address, 2));
    expect(await ask('127.0.0.6')).toBe(200);
    expect(await ask('127.0.0.7')).toBe(200);
    await expect.poll(() => held.reduce((sum, each) => sum + each(), 0)).toBeLessThan(8);
    for (const each of held) expect(each()).toBeGreaterThanOrEqual(1);
  });

  it('keeps all connections of a proxy, also where the server is full', async () => {
    const { hold, ask } = await serve({ maxConnections: 8, isProxy: (address) => address === '127.0.0.2' });
    const held = await hold('127.0.0.2', 8);
    await expect(ask('127.0.0.3')).rejects.toThrow(/ECONNRESET|socket hang up/);
    expect(held()).toBe(8);
  });

  it('forgets connections that have closed', async () => {
    const { server, hold, ask } = await serve({ maxConnections: 4 });
    for (let round = 0; round < 3; round += 1) {
      await hold('127.0.0.2', 1);
      server.closeAllConnections();
    }
    await expect.poll(() => ask('127.0.0.2').catch(() => 0)).toBe(200);
  });

  it('limits the headers of a request, and the time for them', async () => {
    const { server } = await serve({});
    const { headersTimeout, maxHeadersCount, maxConnections } = server;
    expect({ headersTimeout, maxHeadersCount, maxConnections }).toEqual({
      headersTimeout: 10_000,
      maxHeadersCount: 128,
      maxConnections: 16_384,
    });
  });
});
