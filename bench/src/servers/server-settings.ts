import { readFileSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { announceReady } from '../processes/commands.js';

/** What the runner tells every server: one JSON argument. */
export interface ServerSettings {
  readonly upstreamPort: number;
  /** File with the bytes of `GET /models`, for the servers that are compared with the gateway's own. */
  readonly modelsFile?: string;
  /** How many API keys the gateway knows, each of its own organization; 1 by default. */
  readonly apiKeyCount?: number;
}

function readSettings(): ServerSettings {
  return JSON.parse(process.argv[2] ?? '{}') as ServerSettings;
}

export const settings = readSettings();

export function upstreamOrigin(): string {
  return `http://127.0.0.1:${settings.upstreamPort}`;
}

export function announceWhenListening(server: Server): void {
  server.on('listening', () => announceReady((server.address() as AddressInfo).port));
}

/** A prebuilt list, for the servers whose `GET /models` is a bare buffer. */
export const models = {
  body: settings.modelsFile === undefined ? Buffer.from('{"data":[]}') : readFileSync(settings.modelsFile),
  etag: '"models"',
};
