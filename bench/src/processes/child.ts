import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface ChildOptions {
  /** Modules loaded before the script, as absolute file urls or paths. */
  readonly preload?: readonly string[];
  readonly argv?: readonly string[];
  readonly nodeOptions?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Reply {
  readonly replyTo: number;
  readonly result?: unknown;
  readonly error?: string;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

const READY_TIMEOUT_MS = 60_000;
const ASK_TIMEOUT_MS = 600_000;
/** Long enough to write a processor profile. */
const STOP_TIMEOUT_MS = 10_000;

/** A process of the benchmark, spoken to over IPC. Its standard output is kept only to explain a failure. */
export class Child {
  readonly #process: ChildProcess;
  readonly #name: string;
  readonly #pending = new Map<number, Pending>();
  #asked = 0;
  #output = '';
  /** What the child announced itself with, such as its port. */
  ready: unknown;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#process = child;
    child.stdout?.on('data', (chunk: Buffer) => this.#keepOutput(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#keepOutput(chunk));
    child.on('message', (message: Reply) => this.#settle(message));
    child.on('error', (error) => this.#failAll(error.message));
    child.on('exit', (code, signal) => this.#failAll(`ended early (code ${code ?? signal ?? 'unknown'})`));
  }

  /** Starts a script and waits until it says it is ready. @throws Error with the script's own output when it does not come up. */
  static async start(name: string, script: string, options: ChildOptions = {}): Promise<Child> {
    const { preload = [], argv = [], nodeOptions = [], env = {} } = options;
    const child = fork(script, [...argv], {
      execArgv: [...preload.flatMap((module) => ['--import', module]), ...nodeOptions],
      env: { ...inheritedEnvironment(), NODE_ENV: 'production', ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const started = new Child(name, child);
    try {
      started.ready = await started.#withTimeLimit(READY_TIMEOUT_MS, 'start', (pending) =>
        started.#pending.set(0, pending),
      );
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  /** Sends a command and waits for its result, which is trusted to be of type `Result`: both ends are ours. */
  async ask<Result>(command: string, argument?: unknown): Promise<Result> {
    if (!this.#process.connected) throw this.#problem('has ended');
    const id = ++this.#asked;
    return (await this.#withTimeLimit(ASK_TIMEOUT_MS, command, (pending) => {
      this.#pending.set(id, pending);
      this.#process.send({ id, command, argument });
    })) as Result;
  }

  /** Ends the process: politely, then by force. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#pending.clear();
    if (this.#process.connected) this.#process.disconnect();
    const force = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(force);
  }

  #withTimeLimit(timeoutMs: number, what: string, start: (pending: Pending) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(this.#problem(`did not finish "${what}" within ${timeoutMs} ms`));
      const timer = setTimeout(fail, timeoutMs);
      start({
        resolve: (result) => {
          clearTimeout(timer);
          resolve(result);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
    });
  }

  #settle({ replyTo, result, error }: Reply): void {
    const pending = this.#pending.get(replyTo);
    this.#pending.delete(replyTo);
    if (error === undefined) pending?.resolve(result);
    else pending?.reject(this.#problem(error));
  }

  #failAll(reason: string): void {
    for (const pending of this.#pending.values()) pending.reject(this.#problem(reason));
    this.#pending.clear();
  }

  #problem(reason: string): Error {
    return new Error(`${this.#name}: ${reason}${this.#output === '' ? '' : `\n${this.#output}`}`);
  }

  #keepOutput(chunk: Buffer): void {
    this.#output = (this.#output + chunk.toString()).slice(-4_000);
  }
}

/** Package managers put settings into the environment that would reach the measured processes; they get none of it. */
function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME };
}
