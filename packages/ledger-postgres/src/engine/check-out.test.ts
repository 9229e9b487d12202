import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { checkOut } from './check-out.js';

/** A message of PostgreSQL's protocol: its kind, its length, its content. */
function message(kind: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(kind), length, content]);
}

const LOGGED_IN = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const SHUT_DOWN = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

/** A pool over a server that lets everyone in, and says what comes then in the same piece. */
async function startPool(then: Buffer): Promise<pg.Pool> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(Buffer.concat([LOGGED_IN, READY, then])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pool = new pg.Pool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).on('error', () => {});
  onTestFinished(async () => {
    await pool.end();
    server.close();
  });
  return pool;
}

it('listens to a new connection from the first moment, also where the server shuts down in it', async () => {
  const pool = await startPool(SHUT_DOWN);
  let ignored = 0;
  const client = await checkOut(pool, () => (ignored += 1));
  await expect.poll(() => ignored).toBeGreaterThan(0);
  client.release(true);
});

it('takes a connection from a pool that only knows promises', async () => {
  const pool = await startPool(Buffer.alloc(0));
  const ignore = () => undefined;
  const client = await checkOut({ connect: () => pool.connect() }, ignore);
  client.release(true);
});

it('says why there is none', async () => {
  const pool = new pg.Pool({ host: '127.0.0.1', port: 1 });
  onTestFinished(() => pool.end());
  await expect(checkOut(pool, () => undefined)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
