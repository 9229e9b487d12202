import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** The signals that end a process in good order, or when its terminal closes. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Works on a draft next to a file, and removes the draft at the end. The next run with the same name overwrites the draft of a killed run. */
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
