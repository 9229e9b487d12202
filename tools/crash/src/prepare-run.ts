import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import { chooseSeed } from './seeded-random.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of `worker.js` and `skewed-clock.js`. */
    workers: string;
    /** The seed of all randomness in this run. */
    seed: number;
  }
}

// Inside the package, so that drivers outside of the bundle are found.
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
let folder = '';

/**
 * Chooses and prints the seed of the run. Bundles the worker before the first test: the worker is started more than two hundred times, and a bundle
 * starts four times as fast as the sources.
 */
export async function setup(project: TestProject): Promise<void> {
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'worker-'));
  await build({
    config: false,
    silent: true,
    entry: ['worker', 'skewed-clock'].map((name) => join(import.meta.dirname, 'worker', `${name}.ts`)),
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
  project.provide('workers', folder);
  const seed = chooseSeed(process.env['CRASH_SEED']);
  project.provide('seed', seed);
  console.log(`CRASH_SEED=${seed}`);
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
