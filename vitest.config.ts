import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { SkippedTests } from './tools/scripts/skipped-tests.js';

// Tests read the packages' TypeScript source, so they need no build.
// Vitest hands these on to Node, where naming `import` or `module` would make `require` of a dual package load its ES module.
const conditions = ['@searchgate/source', 'node'];

/** `npm test` sets it: the fast tier. Without it, everything runs. */
const isFast = process.env['SEARCHGATE_TESTS'] === 'fast';

/** What the fast tier leaves to `npm run check`, by why. Of long suites it runs chosen rows: `chosenRows` in tools/servers. */
const LEFT_OUT = [
  // Measures of time and memory, in processes of their own.
  'packages/core/test/scaling*.test.ts',
  'packages/core/test/body-memory.test.ts',
  'packages/server/test/half-sent-bodies.test.ts',
  'packages/ledger-sqlite/test/growth.test.ts',
  'packages/ledger-postgres/test/plans.test.ts',
  // Every recorded stream with every fault, and cut in every place.
  'packages/core/test/{stream-faults*,every-stream}.test.ts',
  'packages/core/test/stream-hang-ups.test.ts',
  // A second TypeScript, which reads the examples of the documents and the public types.
  'packages/core/test/{doc-examples,optional-properties}.test.ts',
  // The HTTP contract a second time.
  '{packages/express,packages/koa}/test/behind-parser.test.ts',
  'tools/openapi/src/{conformance,generated-clients}.test.ts',
  // The ledger contract a second time, or against ledgers that are broken on purpose.
  'packages/ledger-postgres/test/conformance-elsewhere.test.ts',
  'packages/testing/test/*.test.ts',
  // A browser, a bundler, or programs that are started as their users do.
  'packages/dashboard/test/{browser-*,page,page-weight}.test.ts',
  'packages/server/test/{admin-browser,bundlers,reload,output}.test.ts',
  'packages/client/test/{browser,bundle}.test.ts',
  'packages/mcp/test/stdio.test.ts',
  'packages/ledger-sqlite/test/killed-processes.test.ts',
  'examples/*/src/{server,restart,python}.test.ts',
  'tools/scripts/**/*.test.ts',
];

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
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', ...(isFast ? LEFT_OUT : [])],
      globalSetup,
      isolate: false,
      ...BOUNDS,
      env: { TEST_PROJECT: name },
    },
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
        globalSetup: isFast ? [] : ['packages/dashboard/test/build-page.ts'],
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
    reporters: ['default', 'json', new SkippedTests()],
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
