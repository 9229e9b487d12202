import { createHash, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** What ends a process in good order, or by its terminal. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const SUFFIX = '.draft';
/** Which machine and which process write a draft. */
const WRITER = /^([0-9a-f]{8})-(\d+)\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** Nothing writes a draft for so long without a change. Should its machine have stood still, the run finds no draft and gives up. */
const LEFT_BEHIND_MS = 60_000;

/** Works on a draft beside a file. None outlives its run: one whose run was killed is removed by the next run for the same file. */
export async function withDraft<T>(file: string, work: (draft: string) => Promise<T>): Promise<T> {
  await removeDrafts(file, isLeftBehind);
  const draft = `${file}.${MACHINE}-${process.pid}.${randomUUID()}${SUFFIX}`;
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

/** Removes every draft of a file. Only for who knows that no other run writes it. */
export async function removeAllDrafts(file: string): Promise<void> {
  await removeDrafts(file, () => Promise.resolve(true));
}

interface Draft {
  readonly path: string;
  readonly machine: string | undefined;
  readonly pid: number;
}

async function removeDrafts(file: string, isRemoved: (draft: Draft) => Promise<boolean>): Promise<void> {
  const folder = dirname(file);
  const start = `${basename(file)}.`;
  // A folder that is not there is the work's own error.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(start) || !name.endsWith(SUFFIX)) continue;
    const writer = WRITER.exec(name.slice(start.length, -SUFFIX.length));
    if (writer === null) continue;
    const draft = { path: join(folder, name), machine: writer[1], pid: Number(writer[2]) };
    if (await isRemoved(draft)) await rm(draft.path, { force: true });
  }
}

async function isLeftBehind({ path, machine, pid }: Draft): Promise<boolean> {
  if (machine === MACHINE && !isRunning(pid)) return true;
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > LEFT_BEHIND_MS;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Else it is another user's.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
