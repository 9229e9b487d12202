import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import { chooseSeed } from './seeded-random.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of `worker.js` and `skewed-clock.js`. */
    workers: string;
    /** The same of another checkout, with its `accounts.js` and `open-ledger.js`; empty for none. */
    otherWorkers: string;
    /** The seed of all randomness in this run. */
    seed: number;
  }
}

// Inside the package, so that drivers outside of the bundle are found.
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
const folders: string[] = [];

/**
 * Chooses and prints the seed of the run. Bundles the worker before the first test: the worker is started more than two hundred times, and a bundle
 * starts four times as fast as the sources.
 */
export async function setup(project: TestProject): Promise<void> {
  project.provide('workers', await bundle(import.meta.dirname, ['worker/worker', 'worker/skewed-clock']));
  const other = process.env['CRASH_OTHER'];
  const entries = ['worker/worker', 'worker/skewed-clock', 'accounts', 'open-ledger'];
  project.provide('otherWorkers', other ? await bundle(join(other, 'tools/crash/src'), entries) : '');
  const seed = chooseSeed(process.env['CRASH_SEED']);
  project.provide('seed', seed);
  console.log(`CRASH_SEED=${seed}`);
}

/** @returns the folder with a script of each entry. */
async function bundle(source: string, entries: readonly string[]): Promise<string> {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'worker-'));
  folders.push(folder);
  await build({
    config: false,
    silent: true,
    entry: Object.fromEntries(entries.map((name) => [basename(name), join(source, `${name}.ts`)])),
    outDir: folder,
    format: 'esm',
    target: 'node20',
    noExternal: [/^@searchgate\//, 'lru-cache', 'undici', 'zod'],
    external: ['ioredis', 'libsql', 'pg', 'redis'],
    // Some bundled modules are CommonJS and require modules of Node.
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);` },
    esbuildOptions(options) {
      options.conditions = ['@searchgate/source', 'node'];
    },
  });
  return folder;
}

export function teardown(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
