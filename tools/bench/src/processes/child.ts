import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type BirpcReturn, createBirpc } from 'birpc';

const BUILD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Long, since a ledger takes long to grow. */
const CALL_TIMEOUT_MS = 3_600_000;
const STOP_TIMEOUT_MS = 10_000;
const OUTPUT_KEPT = 4_000;

export interface ChildOptions {
  readonly argv?: readonly string[];
  /** URLs of modules to load before the script. */
  readonly preload?: readonly string[];
  readonly nodeOptions?: readonly string[];
}

/** A process of the benchmark that serves `Functions`. */
export interface Child<Functions extends object = object> {
  readonly call: BirpcReturn<Functions>;
  readonly ready: unknown;
  stop(): Promise<void>;
}

export function moduleUrl(relative: string): string {
  return pathToFileURL(path.join(BUILD, relative)).href;
}

/**
 * Starts a script and waits until it reports that it is ready.
 *
 * @param script absolute, or relative to the build of this package.
 * @throws Error with the script's output if it does not start.
 */
export async function startChild<Functions extends object = object>(
  name: string,
  script: string,
  { argv = [], preload = [], nodeOptions = [] }: ChildOptions = {},
): Promise<Child<Functions>> {
  // Settings of package managers in the environment would change the measured processes.
  const { PATH = '', HOME = '' } = process.env;
  const child = fork(path.resolve(BUILD, script), argv, {
    execArgv: [...preload.flatMap((module) => ['--import', module]), ...nodeOptions],
    env: { PATH, HOME, NODE_ENV: 'production' },
    serialization: 'advanced',
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT);
    });
  }
  const call = createBirpc<Functions>(
    {},
    {
      post: (message: object) => child.send(message),
      on: (receive) => child.on('message', receive),
      timeout: CALL_TIMEOUT_MS,
    },
  );
  const ready = await new Promise<unknown>((resolve, reject) => {
    child.on('message', (message: { ready?: unknown }) => 'ready' in message && resolve(message.ready));
    child.on('error', reject);
    child.once('exit', (code, signal) => {
      const error = new Error(`${name} ended (${code ?? signal ?? 'unknown'})\n${output}`);
      call.$close(error);
      reject(error);
    });
  });
  return {
    call,
    ready,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      if (child.connected) child.disconnect();
      const force = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(force);
    },
  };
}
