import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shortDocuments, spawnServer, temporaryFolder } from './kit/spawn-server.js';
import { SLOW_MS } from './kit/standalone-suite.js';

const program = new URL('../src/bin/searchgate.ts', import.meta.url);
/** A quarter of the connections of a server. */
const SHARE = 2_048;
const MORE = 100;
const AT_ONCE = 64;

describe('a server', { timeout: 4 * SLOW_MS }, () => {
  it('keeps its share of connections for each address, and refuses long headers', async () => {
    const folder = temporaryFolder();
    const { url } = await spawnServer(program, { ...shortDocuments(), SEARCHGATE_LEDGER: 'memory' }, folder);
    const { hostname: host, port } = new URL(url);
    const sockets: Socket[] = [];
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));

    async function open(localAddress: string): Promise<Socket> {
      const socket = connect({ host, port: Number(port), localAddress });
      sockets.push(socket);
      await once(socket.on('error', () => undefined).resume(), 'connect');
      return socket;
    }
    async function healthTo(localAddress: string): Promise<number | undefined> {
      const asked = get({ host, port, path: '/healthz', localAddress, agent: false });
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      return response.resume().statusCode;
    }

    for (let opened = 0; opened < SHARE + MORE; opened += AT_ONCE) {
      const some = await Promise.all(Array.from({ length: AT_ONCE }, () => open('127.0.0.2')));
      for (const socket of some) socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(6_000)}`);
    }
    expect(await healthTo('127.0.0.3')).toBe(200);
    await expect(healthTo('127.0.0.2')).rejects.toThrow(/ECONNRESET|hang up/);

    const long = await open('127.0.0.4');
    const answered = once(long, 'data');
    long.write(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(9_000)}`);
    expect(String((await answered)[0])).toMatch(/^HTTP\/1\.1 431 /);
  });
});
