import type { Clock } from './clock.js';

/**
 * One attempt's deadline: a single timer, the callbacks to run when it passes, and an `AbortSignal` made only when one is
 * asked for (a controller costs about 10 µs, a tenth of a whole request).
 */
export class Deadline {
  readonly #cancelTimer: () => void;
  readonly #running: Set<Deadline> | undefined;
  /** Few, so a list beats a set; `null` where one was taken back. */
  #callbacks: ((() => void) | null)[] = [];
  #controller: AbortController | undefined;
  #passed = false;
  #isOver = false;

  /** @param running where it is found while it runs. */
  constructor(clock: Clock, timeoutMs: number, running?: Set<Deadline>) {
    this.#cancelTimer = clock.schedule(timeoutMs, () => {
      this.pass();
    });
    this.#running = running;
    running?.add(this);
  }

  get passed(): boolean {
    return this.#passed;
  }

  /** Aborted when the deadline passes; never aborted by {@link clear}. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#passed) this.#controller.abort(timeoutReason());
    }
    return this.#controller.signal;
  }

  /**
   * Runs a callback when the deadline passes, at once if it has. Later registrations run first, so that the innermost work, which
   * knows best what it was waiting for, reports first.
   * @returns a function that takes the callback back.
   */
  onPass(callback: () => void): () => void {
    if (this.#passed) {
      callback();
      return () => undefined;
    }
    const callbacks = this.#callbacks;
    const index = callbacks.push(callback) - 1;
    return () => {
      callbacks[index] = null;
    };
  }

  /** The work is over: the deadline will not pass any more, {@link pass} or not. */
  clear(): void {
    this.#isOver = true;
    this.#cancelTimer();
    this.#running?.delete(this);
    this.#callbacks = [];
  }

  /** Lets it pass before its time. */
  pass(): void {
    if (this.#isOver) return;
    this.#cancelTimer();
    this.#running?.delete(this);
    this.#passed = true;
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (let index = callbacks.length - 1; index >= 0; index -= 1) callbacks[index]?.();
    this.#controller?.abort(timeoutReason());
  }
}

/** The deadlines of all attempts under way, which end together where a gateway cannot wait for them any longer. */
export interface Deadlines {
  start(timeoutMs: number): Deadline;
  /** Resolves after `delayMs`, or when all deadlines end. */
  sleep(delayMs: number): Promise<void>;
  /** Lets all of them pass now. Nothing should be begun any more. */
  endAll(): void;
  /** True once {@link endAll} was called. */
  areOver(): boolean;
}

export function createDeadlines(clock: Clock): Deadlines {
  const running = new Set<Deadline>();
  let over = false;

  function start(timeoutMs: number): Deadline {
    return new Deadline(clock, timeoutMs, running);
  }

  return {
    start,
    sleep: (delayMs) =>
      new Promise((resolve) => {
        start(delayMs).onPass(resolve);
      }),
    endAll() {
      over = true;
      for (const deadline of running) deadline.pass();
    },
    areOver: () => over,
  };
}

function timeoutReason(): DOMException {
  return new DOMException('The deadline of the attempt has passed.', 'TimeoutError');
}
