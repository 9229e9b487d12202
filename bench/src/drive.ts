import type { ConnectCommand, DriveCommand } from './load/load-generator.js';
import type { Drive } from './load/tally.js';
import type { Drives } from './modes.js';
import type { Child } from './processes/child.js';
import type { ServerSample } from './processes/probe.js';
import type { Server, Stage } from './stage.js';

/** One measured drive against one server. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** User and system time of the server's own process, all its threads. */
  readonly cpuMicrosPerRequest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Share of one core that the server took; near 1 or above when it was the bottleneck. */
  readonly serverCpu: number;
  readonly generatorCpu: number;
  readonly rssBytes: number;
  readonly completed: number;
  readonly sendLagP99Ms: number;
}

export interface Load {
  readonly connections: number;
  readonly expectedStatus?: number;
  /** Open loop at this rate; closed loop without. */
  readonly requestsPerSecond?: number;
  /** Instead of the server's own request. */
  readonly requests?: readonly string[];
  /** Set when each request must cause exactly one request at the upstream. */
  readonly reachesUpstream?: boolean;
}

const MICROS_PER_SECOND = 1e6;

/**
 * Opens the connections, drives the server unmeasured, then measured. The processor time is read while nothing is under way, before and
 * after, so that it belongs to the counted requests alone.
 *
 * @throws Error when any reply had another status: such a run says nothing.
 */
export async function driveServer(
  stage: Stage,
  server: Server,
  load: Load & { settleMs: number; durationMs: number },
): Promise<Measurement> {
  const { generator } = stage;
  const { connections, requests = [server.request], settleMs, durationMs } = load;
  await generator.ask('connect', { port: server.port, connections, requests } satisfies ConnectCommand);
  try {
    if (settleMs > 0) await checkedDrive(generator, server.target.name, load, settleMs);
    const servedBefore = await served(stage);
    const before = await server.child.ask<ServerSample>('sample');
    const drive = await checkedDrive(generator, server.target.name, load, durationMs);
    const after = await server.child.ask<ServerSample>('sample');
    const reachedUpstream = (await served(stage)) - servedBefore;
    if (load.reachesUpstream === true && reachedUpstream !== drive.completed) {
      throw new Error(
        `${server.target.name}: ${drive.completed} answers, but ${reachedUpstream} requests reached the upstream`,
      );
    }
    return toMeasurement(drive, before, after);
  } finally {
    await generator.ask('disconnect');
  }
}

/** Drives something that has no probe, such as the upstream itself. */
export async function drivePort(
  generator: Child,
  port: number,
  load: Load & { name: string; durationMs: number },
): Promise<Drive> {
  const { connections, requests = [] } = load;
  await generator.ask('connect', { port, connections, requests } satisfies ConnectCommand);
  try {
    return await checkedDrive(generator, load.name, load, load.durationMs);
  } finally {
    await generator.ask('disconnect');
  }
}

/** Measures every server once per round, A B C A B C …, so that slow stretches of the machine meet them all. */
export async function inTurns<Result>(
  servers: readonly Server[],
  { rounds }: Drives,
  measure: (server: Server) => Promise<Result>,
): Promise<Map<Server, Result[]>> {
  const results = new Map<Server, Result[]>(servers.map((server) => [server, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [server, measured] of results) measured.push(await measure(server));
  }
  return results;
}

async function checkedDrive(generator: Child, name: string, load: Load, durationMs: number): Promise<Drive> {
  const { expectedStatus = 200, requestsPerSecond } = load;
  const command: DriveCommand = {
    expectedStatus,
    durationMs,
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
  };
  const drive = await generator.ask<Drive>('drive', command);
  if (Object.keys(drive.unexpected).length > 0) {
    throw new Error(
      `${name}: unexpected replies, by status: ${JSON.stringify(drive.unexpected)} of ${drive.completed}`,
    );
  }
  if (drive.completed === 0) throw new Error(`${name}: no reply at all`);
  return drive;
}

function served({ upstream }: Stage): Promise<number> {
  return upstream.ask<number>('served');
}

function toMeasurement(drive: Drive, before: ServerSample, after: ServerSample): Measurement {
  const cpuMicros = after.cpuMicros - before.cpuMicros;
  return {
    requestsPerSecond: drive.completed / drive.seconds,
    cpuMicrosPerRequest: cpuMicros / drive.completed,
    p50Ms: drive.p50Ms,
    p99Ms: drive.p99Ms,
    serverCpu: cpuMicros / MICROS_PER_SECOND / drive.seconds,
    generatorCpu: drive.generatorCpu,
    rssBytes: after.rssBytes,
    completed: drive.completed,
    sendLagP99Ms: drive.sendLagP99Ms,
  };
}
