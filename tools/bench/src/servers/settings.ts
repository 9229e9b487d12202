import type { AddressInfo, Server } from 'node:net';
import { announceReady } from '../processes/serve.js';

export type Host = 'node' | 'express' | 'koa';
export const API_KEY = 'bench-key-of-the-benchmark-00000000';

/** The arguments of every server. */
export function readSettings(): { readonly host: Host; readonly upstreamOrigin: string } {
  const [host, upstreamPort] = process.argv.slice(2);
  return { host: host as Host, upstreamOrigin: `http://127.0.0.1:${upstreamPort}` };
}

export function listenOnLoopback(server: Server): void {
  server.listen(0, '127.0.0.1', () => announceReady((server.address() as AddressInfo).port));
}
