export interface Load {
  /** How many callers ask at once, each one call after another. */
  readonly callers: number;
  /** More calls than any run needs: a run that does not end by itself ends here, with an error. */
  readonly maxCalls: number;
  isOver(): boolean;
  askOnce(): Promise<void>;
}

/** Keeps callers asking until it is over, and waits for the calls that are under way then. @throws Error past `maxCalls`. */
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
