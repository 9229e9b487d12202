import { setImmediate } from 'node:timers/promises';

/** A queue whose operations go to the engine together: those that arrive while a batch is on its way form the next one. */
export interface Batcher<Operation, Result> {
  submit(operation: Operation): Promise<Result>;
}

/** Sends operations to the engine in one atomic step. @returns a result for each, in their order. */
export type SendBatch<Operation, Result> = (operations: readonly Operation[]) => Promise<readonly Result[]>;

interface Job<Operation, Result> {
  readonly operation: Operation;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: an operation that comes alone is sent at once, and the busier the batcher, the more operations share one round trip and one commit.
 *
 * @param isTransient whether an error came from the connection rather than from one of the operations. It is then the answer to all of a batch, since
 * each would meet the same. After any other error each operation is tried by itself, so that only the one at fault fails.
 */
export function createBatcher<Operation, Result>(
  send: SendBatch<Operation, Result>,
  maxBatch: number,
  isTransient: (error: unknown) => boolean,
): Batcher<Operation, Result> {
  let waiting: Job<Operation, Result>[] = [];
  let isRunning = false;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      await answer(batch);
      // A caller that has just been answered may go on at once: in a turn of the event loop its next operation joins the next batch.
      await setImmediate();
    }
    isRunning = false;
  }

  async function answer(batch: readonly Job<Operation, Result>[]): Promise<void> {
    try {
      const results = await send(batch.map(({ operation }) => operation));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && !isTransient(error)) for (const single of batch) await answer([single]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return {
    submit(operation) {
      return new Promise((resolve, reject) => {
        waiting.push({ operation, resolve, reject });
        if (isRunning) return;
        isRunning = true;
        void sendAll();
      });
    },
  };
}
