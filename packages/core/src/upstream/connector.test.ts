import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { createFakeClock } from '@searchgate/testing';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Clock } from '../base/time/clock.js';
import { createConnector } from './connector.js';

/** A silent server, and a connector to it. */
async function setUp(clock: Clock = createFakeClock()) {
  const arrived: Socket[] = [];
  const server = createServer((socket) => {
    arrived.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of arrived) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const connector = createConnector({ clock, connectTimeoutMs: 5_000 });
  const connect = (protocol: 'http:' | 'https:') =>
    new Promise<Socket>((resolve, reject) => {
      const target = { hostname: '127.0.0.1', host: `127.0.0.1:${port}`, protocol, port: `${port}` };
      connector.connect(target, (error, socket) => (error === null ? resolve(socket) : reject(error)));
    });
  return { server, connector, connect };
}

it('gives up connections that are being opened, and no others', async () => {
  const clock = createFakeClock();
  const { connector, connect } = await setUp(clock);
  const open = await connect('http:');
  const opening = connect('https:');
  connector.destroy();
  await expect(opening).rejects.toMatchObject({ code: 'ECONNABORTED', message: 'closed while connecting' });
  expect(open.destroyed).toBe(false);
  expect(clock.pendingTimers).toBe(0);
  open.destroy();
});

it('waits for a connection by a timer that keeps no process alive', async () => {
  const clock = createFakeClock();
  const kinds: unknown[] = [];
  const schedule: Clock['schedule'] = (delayMs, callback, kind) => {
    kinds.push([delayMs, kind]);
    return clock.schedule(delayMs, callback);
  };
  const { connect } = await setUp({ ...clock, schedule });
  const open = await connect('http:');
  expect(kinds).toEqual([[5_000, 'background']]);
  open.destroy();
});

it('offers only HTTP/1.1 in TLS', async () => {
  const { server, connector, connect } = await setUp();
  const opening = connect('https:');
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  // The whole extension: its number and its length, the length of its list, and that of the only name.
  expect(hello.toString('latin1')).toContain('\0\x10\0\x0b\0\x09\x08http/1.1');
  connector.destroy();
  await expect(opening).rejects.toThrow('closed while connecting');
});

/** A self-signed certificate of 127.0.0.1 until 2126, made only for this test. */
const SELF_SIGNED = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYMDSriFXxbXMrcLH
qnzTr5OC+iEy83O/BfiRvY9zucuhRANCAAQZUIoA6IXl2CUXhyg0Vm3ZWTwmW4xF
05ZLEFW4fGFm6w9Sg8bJkZ5QbMvrK8ymw261u7gQ3uktkpm4x+Z9GRMd
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUIVEL+fVKktJv2gHoriZTfVKJX3AwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjE0MTExOVoYDzIxMjYxMTAy
MTQxMTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQZUIoA6IXl2CUXhyg0Vm3ZWTwmW4xF05ZLEFW4fGFm6w9Sg8bJkZ5Q
bMvrK8ymw261u7gQ3uktkpm4x+Z9GRMdo28wbTAdBgNVHQ4EFgQUZLLlWgSq67YP
R5E79poag5lBvi8wHwYDVR0jBBgwFoAUZLLlWgSq67YPR5E79poag5lBvi8wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDRwAwRAIgJa/ZbAeD8LAf8KHD2S7a2fxxNhTlXuIDbPbz8T+R85ECIFj0
QYxZh1KqpGCPPoBY2LDa1G0TT2y6jmKwbTPCE2al
-----END CERTIFICATE-----`,
};

it.each([undefined, '0'])('trusts no self-signed certificate with NODE_TLS_REJECT_UNAUTHORIZED=%s', async (value) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const server = createTlsServer(SELF_SIGNED, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { connect } = createConnector({ clock: createFakeClock(), connectTimeoutMs: 5_000 });
  const target = { hostname: '127.0.0.1', host: `127.0.0.1:${port}`, protocol: 'https:', port: `${port}` };
  const outcome = await new Promise((resolve) => connect(target, (error, socket) => resolve(error ?? socket)));
  expect(outcome).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
});
