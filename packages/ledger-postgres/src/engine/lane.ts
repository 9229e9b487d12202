import { setImmediate } from 'node:timers/promises';

/** A queue whose verbs go to the engine together: those that arrive while a batch is on its way form the next one. */
export interface Lane<Verb, Result> {
  submit(verb: Verb): Promise<Result>;
  /** Resolves once everything submitted so far has been answered. */
  idle(): Promise<void>;
}

/** Sends verbs to the engine in one atomic step. @returns a result for each, in their order. */
export type SendBatch<Verb, Result> = (verbs: readonly Verb[]) => Promise<readonly Result[]>;

interface Waiting<Verb, Result> {
  readonly verb: Verb;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: a verb that comes alone is sent at once, and the busier the lane, the more verbs share one round trip and one commit.
 *
 * @param mayPass whether an error came from the connection rather than from one of the verbs. All of a batch are then told, since each would
 * meet the same; after any other error each verb is tried by itself, so that one the engine chokes on fails alone.
 */
export function createLane<Verb, Result>(
  send: SendBatch<Verb, Result>,
  maxBatch: number,
  mayPass: (error: unknown) => boolean,
): Lane<Verb, Result> {
  let waiting: Waiting<Verb, Result>[] = [];
  let running: Promise<void> | undefined;

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxBatch);
      waiting = waiting.slice(maxBatch);
      await answer(batch);
      // Whoever has just been answered may go on at once: in a turn of the event loop its next verb joins the next batch.
      await setImmediate();
    }
    running = undefined;
  }

  async function answer(batch: readonly Waiting<Verb, Result>[]): Promise<void> {
    try {
      const results = await send(batch.map(({ verb }) => verb));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && !mayPass(error)) for (const single of batch) await answer([single]);
      else for (const { reject } of batch) reject(error);
    }
  }

  return {
    submit(verb) {
      return new Promise((resolve, reject) => {
        waiting.push({ verb, resolve, reject });
        running ??= drain();
      });
    },
    idle: () => running ?? Promise.resolve(),
  };
}
