import { request } from 'undici';
import { driveServer, inTurns, type Measurement } from '../drive.js';
import type { Drives } from '../modes.js';
import { apiKeyOf } from '../servers/api-keys.js';
import type { Server, Stage } from '../stage.js';
import { modelsRequest } from '../targets.js';
import { SATURATING_CONNECTIONS } from './saturated.js';

export interface ModelsMeasurement {
  readonly full: Measurement;
  /** The same list asked for with its `ETag`: 304. */
  readonly notModified: Measurement;
}

export interface ModelsResult {
  readonly bytes: number;
  readonly entries: number;
  readonly rounds: Map<Server, ModelsMeasurement[]>;
}

/** `GET /models`: the gateways against the same host writing the same bytes from a prebuilt buffer, without a look at any key. */
export async function measureModels(stage: Stage, servers: readonly Server[], drives: Drives): Promise<ModelsResult> {
  const lists = new Map<Server, { etag: string; body: string }>();
  for (const server of servers) lists.set(server, await fetchModels(server));
  const bodies = new Set([...lists.values()].map(({ body }) => body));
  if (bodies.size > 1) throw new Error('the servers list different models');
  const body = [...bodies][0] ?? '{"data":[]}';

  const load = { connections: SATURATING_CONNECTIONS, ...drives };
  const rounds = await inTurns(servers, drives, async (server) => ({
    full: await driveServer(stage, server, { ...load, requests: [modelsRequest()] }),
    notModified: await driveServer(stage, server, {
      ...load,
      requests: [modelsRequest(lists.get(server)?.etag)],
      expectedStatus: 304,
    }),
  }));
  return { bytes: Buffer.byteLength(body), entries: (JSON.parse(body) as { data: unknown[] }).data.length, rounds };
}

async function fetchModels({ port, target }: Server): Promise<{ etag: string; body: string }> {
  const { statusCode, headers, body } = await request(`http://127.0.0.1:${port}/api/v1/models`, {
    headers: { authorization: `Bearer ${apiKeyOf(0)}` },
  });
  const text = await body.text();
  if (statusCode !== 200 || typeof headers.etag !== 'string')
    throw new Error(`${target.name}: GET /models answered ${statusCode}: ${text}`);
  return { etag: headers.etag, body: text };
}
