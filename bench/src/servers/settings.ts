import type { AddressInfo, Server } from 'node:net';
import { announceReady } from '../processes/serve.js';

export type Host = 'node' | 'express' | 'koa';

/** What every server is given: one JSON argument. */
export interface ServerSettings {
  readonly host: Host;
  readonly upstreamPort: number;
  /** File with the bytes of `GET /models`, for the forwarders. */
  readonly modelsFile?: string;
  /** How many API keys the gateway knows, each of its own organization; default 1. */
  readonly apiKeyCount?: number;
  /** The number of a key that may ask once a day; default none. */
  readonly ratedKey?: number;
}

export function readSettings(): ServerSettings {
  return JSON.parse(process.argv[2] ?? '') as ServerSettings;
}

export function upstreamOrigin({ upstreamPort }: ServerSettings): string {
  return `http://127.0.0.1:${upstreamPort}`;
}

export function listenOnLoopback(server: Server): void {
  server.listen(0, '127.0.0.1', () => announceReady((server.address() as AddressInfo).port));
}

export function apiKeyOf(number: number): string {
  return `bench-key-${number.toString().padStart(8, '0')}-of-the-benchmark`;
}
