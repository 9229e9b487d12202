import { drivePort, inTurns } from '../drive.js';
import type { Drives } from '../modes.js';
import type { Server, Stage } from '../stage.js';

export const REQUESTS_PER_SECOND = 1_000;
const CONNECTIONS = 64;
/** A server that cannot do 1,000 requests per second is asked for this share of what it can do. */
const SUSTAINABLE_SHARE = 0.7;

export interface EventLoopDelay {
  readonly requestsPerSecond: number;
  /** How much later than planned a timer ran in the server's process, 99th percentile. */
  readonly p99Ms: number;
}

/** How long the host's own work has to wait while a server answers at a fixed rate. */
export function measureEventLoop(
  stage: Stage,
  drives: Drives,
  capacities: ReadonlyMap<Server, number>,
): Promise<Map<Server, EventLoopDelay[]>> {
  return inTurns([...capacities.keys()], drives, async (server) => {
    const capacity = capacities.get(server) ?? REQUESTS_PER_SECOND;
    const requestsPerSecond = Math.floor(Math.min(REQUESTS_PER_SECOND, capacity * SUSTAINABLE_SHARE));
    const load = { name: server.target.name, connections: CONNECTIONS, requests: [server.request], requestsPerSecond };
    await drivePort(stage.generator, server.port, { ...load, durationMs: drives.settleMs });
    await server.child.ask('startEventLoopMonitor');
    await drivePort(stage.generator, server.port, { ...load, durationMs: drives.durationMs });
    return { requestsPerSecond, p99Ms: await server.child.ask<number>('stopEventLoopMonitor') };
  });
}
