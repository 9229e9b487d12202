import { driveServer, inTurns, type Measurement } from '../drive.js';
import type { Drives } from '../modes.js';
import type { Server, Stage } from '../stage.js';

/** As in most load tests of gateways; enough to keep every server here busy. */
export const SATURATING_CONNECTIONS = 64;

/** Closed loop with as many requests as the server can take: processor time per request, requests per second, latency under full load. */
export function measureSaturated(
  stage: Stage,
  servers: readonly Server[],
  drives: Drives,
): Promise<Map<Server, Measurement[]>> {
  return inTurns(servers, drives, (server) =>
    driveServer(stage, server, { ...drives, connections: SATURATING_CONNECTIONS, reachesUpstream: true }),
  );
}
