import { LedgerError } from '../errors/ledger-error.js';

/** A result, from a synchronous engine, or a promise of the result. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a ledger is open, and how many of its operations are running. */
export interface OpenState {
  /** @throws LedgerError `ledger_closed`. */
  check(): void;
  /** Lets `close` wait for an operation. @returns the operation. */
  during<T>(operation: MaybePromise<T>): MaybePromise<T>;
  /** Refuses further operations, waits for running operations, then calls `finish`. A second call waits for the first. */
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
      // A counter instead of a set of promises, because every hold runs this code.
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
