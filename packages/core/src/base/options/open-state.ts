import { LedgerError } from '../errors/ledger-error.js';

/** What an engine may answer: the result itself, where it works synchronously, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a ledger is open, and how many of its operations are under way. */
export interface OpenState {
  /** @throws LedgerError `ledger_closed`. */
  check(): void;
  /** Lets `close` wait for an operation. @returns the operation. */
  during<T>(operation: MaybePromise<T>): MaybePromise<T>;
  /** Refuses everything from now on, waits for what is under way, then calls `finish`. A second call waits for the first. */
  close(finish: () => MaybePromise<void>): Promise<void>;
}

export function createOpenState(): OpenState {
  let running = 0;
  let onIdle: (() => void) | undefined;
  let closing: Promise<void> | undefined;

  function ended(): void {
    running -= 1;
    if (running === 0) onIdle?.();
  }

  async function finishWhenIdle(finish: () => MaybePromise<void>): Promise<void> {
    if (running > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await finish();
  }

  return {
    check() {
      if (closing !== undefined) throw new LedgerError('ledger_closed', 'the ledger has been closed');
    },
    during(operation) {
      // A counter instead of a set of promises: this is on the path of every hold.
      if (operation instanceof Promise) {
        running += 1;
        operation.then(ended, ended);
      }
      return operation;
    },
    close(finish) {
      closing ??= finishWhenIdle(finish);
      return closing;
    },
  };
}
