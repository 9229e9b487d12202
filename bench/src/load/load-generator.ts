import { announceReady, serveCommands } from '../processes/commands.js';
import { closedLoop } from './closed-loop.js';
import { Connection } from './connection.js';
import { openLoop } from './open-loop.js';
import { type Drive, Tally } from './tally.js';

export interface ConnectCommand {
  readonly port: number;
  readonly connections: number;
  /** Whole HTTP requests, sent in turn. */
  readonly requests: readonly string[];
}

export interface DriveCommand {
  readonly expectedStatus: number;
  readonly durationMs: number;
  /** Open loop at this rate; closed loop without. */
  readonly requestsPerSecond?: number;
}

/** The whole run is given up when replies stay out this much longer than the drive was to last. */
const GRACE_MS = 15_000;

let connections: Connection[] = [];
let requests: Buffer[] = [];

async function connect({ port, connections: count, requests: texts }: ConnectCommand): Promise<void> {
  disconnect();
  requests = texts.map((text) => Buffer.from(text));
  connections = await Promise.all(Array.from({ length: count }, () => Connection.open(port)));
}

function disconnect(): void {
  for (const connection of connections) connection.close();
  connections = [];
}

async function drive({ expectedStatus, durationMs, requestsPerSecond }: DriveCommand): Promise<Drive> {
  const tally = new Tally(expectedStatus);
  const finished =
    requestsPerSecond === undefined
      ? closedLoop(connections, requests, { durationMs, tally })
      : openLoop(connections, requests, { durationMs, tally, requestsPerSecond });
  await withinTime(finished, durationMs + GRACE_MS);
  return tally.finish();
}

async function withinTime(finished: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`replies are still out after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([finished, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

serveCommands({
  connect: (command) => connect(command as ConnectCommand),
  drive: (command) => drive(command as DriveCommand),
  disconnect,
});
announceReady();
