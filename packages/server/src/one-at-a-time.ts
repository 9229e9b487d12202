/** Runs a task, never twice at once: any number of calls during a run lead to one more run. @param task must not reject. */
export function oneAtATime(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await task();
    }
    isRunning = false;
  }

  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}
