import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'tsup';
import type { TestProject } from 'vitest/node';
import { chooseSeed } from './seeded-random.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder of `worker.js` and `skewed-clock.js`. */
    workers: string;
    /** Of everything that is random in this run. */
    seed: number;
  }
}

// Beneath the package, so that the drivers the bundle leaves out are found from there.
const cache = join(import.meta.dirname, '..', 'node_modules', '.cache');
let folder = '';

/**
 * Chooses the seed of the run and says it. Bundles the worker from the sources before the first test: it is started more than two hundred times, and a bundle starts four times as
 * fast as the sources do.
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
    // Some of what is bundled is CommonJS and asks for modules of Node.
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
