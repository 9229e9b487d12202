import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { SkippedTests } from '../scripts/skipped-tests.js';

const conditions = ['@searchgate/source', 'node'];

// The long tests: `npm run test:crash`. One file at a time, since each uses both cores of a small machine.
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['tools/crash/src/**/*.test.ts', 'tools/servers/src/**/*.test.ts'],
    // Of two versions, as the README tells.
    exclude: process.env['CRASH_OTHER'] ? [] : ['**/versions.test.ts'],
    fileParallelism: false,
    globalSetup: fileURLToPath(new URL('./src/prepare-run.ts', import.meta.url)),
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    reporters: ['verbose', 'json', new SkippedTests()],
    outputFile: { json: 'node_modules/.cache/vitest-report.json' },
  },
});
