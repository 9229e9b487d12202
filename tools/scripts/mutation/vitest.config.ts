import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type PoolOptions, type TestSpecification } from 'vitest/node';
import { testFilesFor } from './mutated-files.js';
import { ReusedThread } from './reused-thread.js';

const conditions = ['@searchgate/source', 'node'];
const root = join(import.meta.dirname, '../../..');
const target = process.env.MUTATION_TARGET ?? '';
const globalSetup = join(root, ...target.split('/').slice(0, 2), 'test', 'global-setup.ts');

/** The first failing test ends a run, so the quick tests next to the source come first. */
class BesideSourceFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const isFar = ({ moduleId }: TestSpecification) => Number(!moduleId.includes(target));
    return [...specifications].sort((a, b) => isFar(a) - isFar(b));
  }
}

// For `npm run test:mutation`. Stryker's runner needs one project, and selects the tests that reach a fault.
export default defineConfig({
  root,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  plugins: [
    {
      name: 'reused-thread',
      // Stryker's runner sets the pool itself and would overwrite an option.
      configureVitest({ project }) {
        const pool = { name: 'reused-thread', createPoolWorker: (options: PoolOptions) => new ReusedThread(options) };
        Object.assign(project.config, { pool: pool.name, poolRunner: pool });
      },
    },
  ],
  test: {
    include: testFilesFor(target),
    // Thousands of random cases per fault would be slow; the tests next to them notice the same faults.
    exclude: ['**/*.property.test.ts'],
    sequence: { sequencer: BesideSourceFirst },
    setupFiles: [
      join(root, 'scripts', 'mutation', 'no-fault-while-loading.ts'),
      join(root, 'scripts', 'mutation', 'bound-random-tests.ts'),
    ],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    isolate: false,
    // Many faults make a test hang. A failing test is quicker than Stryker's timeout, which starts a new process.
    testTimeout: 10_000,
    hookTimeout: 10_000,
  },
});
