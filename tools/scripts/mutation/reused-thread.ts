import { type PoolOptions, type PoolWorker, ThreadsPoolWorker, type WorkerRequest } from 'vitest/node';

/** A thread is replaced after this many runs, since each run leaves listeners behind. */
const MAX_RUNS = 150;

let idle: { worker: ThreadsPoolWorker; runs: number } | undefined;

/**
 * A thread that is reused by the next run of Vitest. Stryker starts a run per fault, and loading all modules takes longer than the tests. A global
 * variable selects the fault, and modules keep no state, so loaded modules serve every fault.
 */
export class ReusedThread implements PoolWorker {
  readonly name = 'reused-thread';
  readonly #worker: ThreadsPoolWorker;
  readonly #runs: number;
  readonly #listeners: [event: string, listener: (value: unknown) => void][] = [];

  constructor(options: PoolOptions) {
    const reused = idle;
    idle = undefined;
    this.#worker = reused?.worker ?? new ThreadsPoolWorker(options);
    this.#runs = (reused?.runs ?? 0) + 1;
  }

  on(event: string, listener: (value: unknown) => void): void {
    this.#listeners.push([event, listener]);
    this.#worker.on(event, listener);
  }

  off(event: string, listener: (value: unknown) => void): void {
    const index = this.#listeners.findIndex((each) => each[0] === event && each[1] === listener);
    if (index !== -1) this.#listeners.splice(index, 1);
    this.#worker.off(event, listener);
  }

  send(message: WorkerRequest): void {
    if (message.type !== 'stop' || this.#runs >= MAX_RUNS) this.#worker.send(message);
    else this.#answerStop();
  }

  #answerStop(): void {
    // A copy, since listeners remove themselves.
    const listeners = this.#listeners.filter(([event]) => event === 'message');
    for (const [, listener] of listeners) listener(STOPPED);
  }

  deserialize(data: unknown): unknown {
    return data;
  }

  async start(): Promise<void> {
    if (this.#runs === 1) await this.#worker.start();
  }

  async stop(): Promise<void> {
    for (const [event, listener] of this.#listeners.splice(0)) this.#worker.off(event, listener);
    if (this.#runs >= MAX_RUNS) await this.#worker.stop();
    else idle = { worker: this.#worker, runs: this.#runs };
  }
}

/** A thread's answer to `stop`, sent on its behalf. */
const STOPPED = { __vitest_worker_response__: true, type: 'stopped' };
