import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** What ends a process in good order, or by its terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Works on a draft beside a file, which does not outlive its run. What a killed run has left behind is written over by the next run of the same name. */
export async function withDraft<T>(draft: string, work: (draft: string) => Promise<T>): Promise<T> {
  function end(signal: NodeJS.Signals): void {
    rmSync(draft, { force: true });
    process.kill(process.pid, signal);
  }
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    await rm(draft, { force: true });
    return await work(draft);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    await rm(draft, { force: true });
  }
}
