import type { AddressInfo, Server } from 'node:net';
import { announceReady } from '../processes/serve.js';

export type Host = 'node' | 'express' | 'koa';
/** How a handler without a gateway asks the provider. */
export type Client = 'undici' | 'fetch' | 'exa-js';
/** Pays for all answers. */
export const ORGANIZATION = 'bench';
export const API_KEY = 'bench-key-of-the-benchmark-00000000';

interface Settings {
  readonly host: Host;
  readonly upstreamOrigin: string;
  /** Of a gateway its ledger, as `openLedger` reads it; of a forwarder its client. */
  readonly uses: string | undefined;
}

/** The arguments of forwarders and gateways. */
export function readSettings(): Settings {
  const [host, upstreamPort, uses] = process.argv.slice(2);
  return { host: host as Host, upstreamOrigin: `http://127.0.0.1:${upstreamPort}`, uses };
}

export function listenOnLoopback(server: Server): void {
  server.listen(0, '127.0.0.1', () => announceReady((server.address() as AddressInfo).port));
}
