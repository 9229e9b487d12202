export interface Load {
  /** Number of parallel callers, each with one call after another. */
  readonly callers: number;
  /** More calls than any run needs: then the run ends with an error. */
  readonly maxCalls: number;
  isOver(): boolean;
  askOnce(): Promise<void>;
}

/** Lets callers ask until `isOver`, then waits for calls in flight. @throws Error past `maxCalls`. */
export async function keepAsking({ callers, maxCalls, isOver, askOnce }: Load): Promise<void> {
  let calls = 0;

  async function caller(): Promise<void> {
    while (!isOver()) {
      if (calls === maxCalls) throw new Error(`${maxCalls} calls were made and it is not over`);
      calls += 1;
      await askOnce();
    }
  }

  await Promise.all(Array.from({ length: callers }, caller));
}
