import { drivePort, driveServer, inTurns } from '../drive.js';
import type { Drives } from '../modes.js';
import type { Server, Stage } from '../stage.js';
import { upstreamRequest } from '../targets.js';

export const REQUESTS_PER_SECOND = 300;
const CONNECTIONS = 64;

/** What a server adds to the upstream's own latency, at a rate it can keep. */
export interface AddedLatency {
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  /** Of the upstream asked without anything between, in the same round. */
  readonly upstreamP50Ms: number;
  readonly upstreamP99Ms: number;
}

/** Open loop at a fixed rate. Before each server the upstream is asked directly; what is above that, the server has added. */
export function measureOpenLoop(
  stage: Stage,
  servers: readonly Server[],
  drives: Drives,
): Promise<Map<Server, AddedLatency[]>> {
  const load = { connections: CONNECTIONS, requestsPerSecond: REQUESTS_PER_SECOND };
  return inTurns(servers, drives, async (server) => {
    const direct = await drivePort(stage.generator, stage.upstreamPort, {
      ...load,
      name: 'the upstream',
      requests: [upstreamRequest()],
      durationMs: drives.durationMs / 3,
    });
    const { p50Ms, p99Ms } = await driveServer(stage, server, { ...load, ...drives, reachesUpstream: true });
    return {
      addedP50Ms: p50Ms - direct.p50Ms,
      addedP99Ms: p99Ms - direct.p99Ms,
      upstreamP50Ms: direct.p50Ms,
      upstreamP99Ms: direct.p99Ms,
    };
  });
}
