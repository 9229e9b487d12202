import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { FlakyTests } from './tools/scripts/flaky-tests.js';
import { SkippedTests } from './tools/scripts/skipped-tests.js';

// Tests read the packages' TypeScript source, so they need no build.
// Vitest hands these on to Node, where naming `import` or `module` would make `require` of a dual package load its ES module.
const conditions = ['@searchgate/source', 'node'];

/** A second try where the machine is shared with others. What needs it is named at the end. */
const retry = process.env['CI'] === undefined ? 0 : 1;

/** Against hanging, not on speed: property tests and servers take their time on a busy machine. Vitest would wait a second for what is polled. */
const BOUNDS = { testTimeout: 60_000, expect: { poll: { timeout: 30_000 } } };

/** The name of a project with an alias tells its tests which major version they must find (see major.test.ts). */
function project(
  name: string,
  include: string[],
  { alias = {}, globalSetup = [] }: { alias?: Record<string, string>; globalSetup?: string[] } = {},
): TestProjectInlineConfiguration {
  return {
    resolve: {
      conditions,
      alias: Object.entries(alias).map(([from, replacement]) => ({ find: new RegExp(`^${from}$`), replacement })),
    },
    ssr: { resolve: { conditions } },
    // No test keeps state in a module, so the files of a project share one set of modules: half the time of a set for each.
    test: { name, include, globalSetup, isolate: false, retry, ...BOUNDS, env: { TEST_PROJECT: name } },
  };
}

const testsIn = (folder: string) => [`${folder}/src/**/*.test.ts`, `${folder}/test/**/*.test.ts`];

export default defineConfig({
  test: {
    // Each project would compile core again, and each run all of it: together that was a fifth of all the time of a processor.
    experimental: { fsModuleCache: true },
    projects: [
      project('core', testsIn('packages/core')),
      project('testing', testsIn('packages/testing')),
      project('client', testsIn('packages/client')),
      project('express5', testsIn('packages/express')),
      project('express4', testsIn('packages/express'), { alias: { express: 'express4' } }),
      project('koa3', testsIn('packages/koa')),
      project('koa2', testsIn('packages/koa'), { alias: { koa: 'koa2' } }),
      project('ai-sdk', testsIn('packages/ai-sdk')),
      project('mcp', testsIn('packages/mcp')),
      project('webhooks', testsIn('packages/webhooks')),
      project('opentelemetry', testsIn('packages/opentelemetry')),
      project('prometheus', testsIn('packages/prometheus')),
      project('dashboard', [...testsIn('packages/dashboard'), 'packages/dashboard/page/src/**/*.test.ts'], {
        globalSetup: ['packages/dashboard/test/build-page.ts'],
      }),
      project('ledger-sqlite', testsIn('packages/ledger-sqlite')),
      project('ledger-postgres', testsIn('packages/ledger-postgres'), {
        globalSetup: ['packages/ledger-postgres/test/global-setup.ts'],
      }),
      project('ledger-redis', testsIn('packages/ledger-redis')),
      project('server', testsIn('packages/server')),
      // What is quick of testing/; the rest is `npm run test:crash`.
      project('crash-tests', ['tools/crash/src/ledger-check/*.test.ts']),
      project('openapi', testsIn('tools/openapi')),
      project('examples', testsIn('examples/*')),
      project('repo', ['tools/scripts/**/*.test.ts', 'test/**/*.test.ts']),
    ],
    // Many tests wait for processes of their own: one worker for each processor, where vitest would leave one idle.
    maxWorkers: '100%',
    reporters: ['default', 'json', new FlakyTests('node_modules/.cache/flaky-tests.txt'), new SkippedTests()],
    outputFile: { json: 'node_modules/.cache/vitest-report.json' },
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/fixtures/**'],
      reporter: ['text', 'html', 'json-summary'],
      thresholds: { lines: 95 },
    },
  },
});
