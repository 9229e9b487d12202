import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What ends a process in good order, or by its terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SUFFIX = '.draft';
/** Nothing writes a draft for so long without a change. Should its machine have stood still, the run finds no draft and gives up. */
const LEFT_BEHIND_MS = 60_000;

/** Works on a draft beside a file. None outlives its run: one whose run was killed is removed by the next run for the same file. */
export async function withDraft<T>(file: string, work: (draft: string) => Promise<T>): Promise<T> {
  await removeLeftBehind(file);
  const draft = `${file}.${randomUUID()}${SUFFIX}`;
  function end(signal: NodeJS.Signals): void {
    rmSync(draft, { force: true });
    process.kill(process.pid, signal);
  }
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    return await work(draft);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    await rm(draft, { force: true });
  }
}

async function removeLeftBehind(file: string): Promise<void> {
  const folder = dirname(file);
  const start = `${basename(file)}.`;
  // A folder that is not there is the work's own error.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(SUFFIX)) continue;
    if (!UUID.test(name.slice(start.length, -SUFFIX.length))) continue;
    const draft = join(folder, name);
    const found = await stat(draft).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(draft, { force: true });
  }
}
