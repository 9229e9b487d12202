import { driveServer, inTurns, type Measurement } from '../drive.js';
import type { Mode } from '../modes.js';
import type { ServerSample } from '../processes/probe.js';
import type { Server, Stage } from '../stage.js';
import { answerRequest } from '../targets.js';
import { SATURATING_CONNECTIONS } from './saturated.js';

/** More different keys than the gateway's key cache holds. */
export const DIFFERENT_KEYS = 20_000;

export interface KeysResult {
  readonly keyCount: number;
  /** Heap per API key that has its own organization with credits, before any of them has called. */
  readonly bytesPerKeyAndOrganization: number;
  readonly oneKey: readonly Measurement[];
  readonly manyKeys: readonly Measurement[];
}

/** The same gateway with one key and with very many, each key in its own organization, asked with keys from all over. */
export async function measureKeys(stage: Stage, { keys: drives }: Mode): Promise<KeysResult> {
  const { keyCount } = drives;
  const one = await stage.startServer('core', { apiKeyCount: 1 });
  const many = await stage.startServer('core', { apiKeyCount: keyCount });
  try {
    const bytesPerKeyAndOrganization = ((await heapBytes(many)) - (await heapBytes(one))) / keyCount;
    const requests = new Map<Server, string[]>([
      [one, Array.from({ length: DIFFERENT_KEYS }, () => answerRequest(0))],
      [many, Array.from({ length: DIFFERENT_KEYS }, (_, index) => answerRequest(spread(index, keyCount)))],
    ]);
    const measured = await inTurns([one, many], { ...drives, rounds: drives.rounds + 1 }, (server) =>
      driveServer(stage, server, {
        ...drives,
        connections: SATURATING_CONNECTIONS,
        reachesUpstream: true,
        requests: requests.get(server) ?? [],
      }),
    );
    const withoutWarmUp = (server: Server) => (measured.get(server) ?? []).slice(1);
    return { keyCount, bytesPerKeyAndOrganization, oneKey: withoutWarmUp(one), manyKeys: withoutWarmUp(many) };
  } finally {
    await one.child.stop();
    await many.child.stop();
  }
}

function spread(index: number, keyCount: number): number {
  return (index * Math.max(1, Math.floor(keyCount / DIFFERENT_KEYS))) % keyCount;
}

async function heapBytes({ child }: Server): Promise<number> {
  await child.ask('collectGarbage');
  return (await child.ask<ServerSample>('sample')).heapUsedBytes;
}
