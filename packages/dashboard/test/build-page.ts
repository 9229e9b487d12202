import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The page, built from the current source. */
    pageFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const outDir = await mkdtemp(join(tmpdir(), 'searchgate-dashboard-'));
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, '../page/build.mjs'), outDir]);
  project.provide('pageFolder', outDir);
  return () => rm(outDir, { recursive: true, force: true });
}
