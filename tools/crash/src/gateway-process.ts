import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Pool } from 'undici';
import {
  CLOCK_OFFSET,
  type WorkerCommand,
  type WorkerOptions,
  type WorkerReply,
  type WorkerRequest,
} from './worker/worker-options.js';

/** A gateway's server in a separate process. */
export interface ServerProcess {
  /** Connections to the server. */
  readonly http: Pool;
  /** Kills it with SIGKILL, like a crash. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Stops it in good order: no new calls, calls in flight finish, unsettled charges are tried once more. */
  stop(): Promise<void>;
  /** The last part of its stderr. */
  log(): string;
}

/** A worker of these tests. */
export interface GatewayProcess extends ServerProcess {
  /** Ends expired holds, by the clock of the process. @returns the number of ended holds. */
  expireHolds(): Promise<number>;
}

const START_TIMEOUT_MS = 60_000;
const COMMAND_TIMEOUT_MS = 60_000;
const KEPT_LOG_CHARACTERS = 4_000;

/** Starts a worker and waits until it serves. @param workers its folder. @param clockOffsetMs the error of its clock. */
export async function startGatewayProcess(
  options: WorkerOptions,
  workers: string,
  clockOffsetMs: number,
): Promise<GatewayProcess> {
  const skewedClock = ['--import', pathToFileURL(join(workers, 'skewed-clock.js')).href];
  const child = fork(join(workers, 'worker.js'), [JSON.stringify(options)], {
    execArgv: clockOffsetMs === 0 ? [] : skewedClock,
    env: { PATH: process.env['PATH'], [CLOCK_OFFSET]: String(clockOffsetMs) },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-KEPT_LOG_CHARACTERS)));
  const ask = commandsOf(child, () => log);
  try {
    const url = await ask('start', START_TIMEOUT_MS);
    const http = connectionsTo(String(url));
    return {
      http,
      log: () => log,
      expireHolds: async () => Number(await ask('expireHolds', COMMAND_TIMEOUT_MS)),
      async kill() {
        child.kill('SIGKILL');
        await exited;
        await http.destroy();
      },
      async stop() {
        await ask('stop', COMMAND_TIMEOUT_MS);
        child.disconnect();
        await exited;
        await http.destroy();
      },
    };
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    throw error;
  }
}

/** As many connections as parallel callers in any scenario. */
export function connectionsTo(url: string): Pool {
  return new Pool(url, { connections: 64, headersTimeout: COMMAND_TIMEOUT_MS });
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Sends commands and waits for their replies; `start` waits for the worker's first message. All reject when the worker ends. */
function commandsOf(child: ChildProcess, log: () => string) {
  const pending = new Map<number, Pending>();
  const problem = (what: string) => new Error(`worker ${child.pid ?? '?'} ${what}\n${log()}`);
  let asked = 0;
  child.on('message', ({ id, result, error }: WorkerReply) => {
    if (error === undefined) pending.get(id)?.resolve(result);
    else pending.get(id)?.reject(problem(`failed: ${error}`));
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of pending.values()) reject(problem(`has ended (${code ?? signal})`));
  });

  return async (command: WorkerCommand | 'start', timeoutMs: number): Promise<unknown> => {
    const id = command === 'start' ? 0 : ++asked;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise((resolve, reject) => {
        timer = setTimeout(() => reject(problem(`did not finish "${command}" within ${timeoutMs} ms`)), timeoutMs);
        pending.set(id, { resolve, reject });
        if (child.exitCode !== null || child.signalCode !== null) reject(problem('has ended'));
        else if (command !== 'start') child.send({ id, command } satisfies WorkerRequest);
      });
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  };
}
