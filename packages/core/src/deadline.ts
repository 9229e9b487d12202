import type { Clock } from './clock.js';

/**
 * One attempt's deadline: a single timer, the callbacks to run when it passes, and an `AbortSignal` made only when somebody
 * asks for one (a controller costs about 10 µs, a tenth of a whole request).
 */
export class Deadline {
  readonly #cancelTimer: () => void;
  /** Few, so a list beats a set; `null` where one was taken back. */
  #callbacks: ((() => void) | null)[] = [];
  #controller: AbortController | undefined;
  #passed = false;

  constructor(clock: Clock, timeoutMs: number) {
    this.#cancelTimer = clock.schedule(timeoutMs, () => {
      this.#pass();
    });
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

  /** The work is over: the deadline will not pass any more. */
  clear(): void {
    this.#cancelTimer();
    this.#callbacks = [];
  }

  #pass(): void {
    this.#passed = true;
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (let index = callbacks.length - 1; index >= 0; index -= 1) callbacks[index]?.();
    this.#controller?.abort(timeoutReason());
  }
}

function timeoutReason(): DOMException {
  return new DOMException('The deadline of the attempt has passed.', 'TimeoutError');
}
