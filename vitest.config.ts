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
  // Every vendor with very long texts; every recorded stream with every fault, and cut in every place.
  'packages/core/test/bounded-texts.test.ts',
  'packages/server/src/verify/verify.test.ts',
  'packages/core/test/{stream-faults*,every-stream}.test.ts',
  'packages/core/test/stream-hang-ups.test.ts',
  // Every form with every fault of a vendor.
  'packages/core/test/form-faults.test.ts',
  // Every version of MCP with every client, at every host.
  'packages/mcp/test/versions.test.ts',
  // Long random histories.
  'packages/core/src/**/*.property.test.ts',
  'packages/core/test/{hedged,reuse,crash,mixed}-money.test.ts',
  'packages/core/src/ledger/memory-rates.test.ts',
  // The examples of the documents, and a second TypeScript, which reads them and the public types.
  'packages/core/test/{doc-examples,optional-properties}.test.ts',
  'packages/webhooks/test/documents.test.ts',
  'packages/dashboard/test/openapi.test.ts',
  // The HTTP contract a second time.
  '{packages/express,packages/koa}/test/behind-parser.test.ts',
  'tools/openapi/src/{conformance,document,generated-clients}.test.ts',
  // Other tests of engines that are servers; the ledger contract against ledgers that are broken on purpose.
  'packages/ledger-{postgres,redis}/test/!(conformance).test.ts',
  'packages/ledger-postgres/test/conformance-elsewhere.test.ts',
  'packages/ledger-{postgres,redis}/src/{money,lua}/*.test.ts',
  'packages/testing/{test,src/provider}/*.test.ts',
  // A browser, a bundler, or programs that are started as their users do.
  'packages/dashboard/test/{browser-*,page,page-weight}.test.ts',
  'packages/core/src/upstream/undici.test.ts',
  'packages/server/test/{admin-browser,bundlers,reload,output,searx,service-ledgers}.test.ts',
  'packages/server/test/{eval-killed,rebook,tracing,two-instances,unfinished-headers}.test.ts',
  'packages/server/src/admin-page.test.ts',
  'packages/client/test/{browser,bundle}.test.ts',
  'packages/mcp/test/stdio.test.ts',
  'packages/ledger-sqlite/test/killed-processes.test.ts',
  'examples/*/src/{server,restart,python}.test.ts',
  // A model, which takes seconds of a processor.
  'examples/local-models/test/*.test.ts',
  'tools/scripts/**/*.test.ts',
];

/** Against hanging, not on speed: property tests and servers take their time on a busy machine. Vitest would wait a second for what is polled. */
const BOUNDS = { testTimeout: 60_000, expect: { poll: { timeout: 30_000 } } };

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  /** The older major version of a framework. The name tells tests which one they must find (major.test.ts). */
  readonly alias?: Readonly<Record<string, string>>;
  readonly globalSetup?: readonly string[];
  /** Its tests change the process they run in. */
  readonly standsAlone?: true;
}

function configOf({ name, include, alias = {}, globalSetup = [] }: Project): TestProjectInlineConfiguration {
  return {
    resolve: {
      conditions,
      alias: Object.entries(alias).map(([from, replacement]) => ({ find: new RegExp(`^${from}$`), replacement })),
    },
    ssr: { resolve: { conditions } },
    // No test keeps state in a module, so the files of a project share one set of modules: half the time of a set for each.
    test: {
      name,
      include: [...include],
      exclude: ['**/node_modules/**', ...(isFast ? LEFT_OUT : [])],
      globalSetup: [...globalSetup],
      isolate: false,
      ...BOUNDS,
      env: Object.keys(alias).length > 0 ? { TEST_PROJECT: name } : {},
    },
  };
}

const testsIn = (folder: string) => [`${folder}/src/**/*.test.ts`, `${folder}/test/**/*.test.ts`];

const PROJECTS: readonly Project[] = [
  { name: 'core', include: testsIn('packages/core') },
  { name: 'testing', include: testsIn('packages/testing') },
  { name: 'client', include: testsIn('packages/client') },
  { name: 'express5', include: testsIn('packages/express') },
  { name: 'express4', include: testsIn('packages/express'), alias: { express: 'express4' } },
  { name: 'koa3', include: testsIn('packages/koa') },
  { name: 'koa2', include: testsIn('packages/koa'), alias: { koa: 'koa2' } },
  { name: 'ai-sdk', include: testsIn('packages/ai-sdk') },
  { name: 'dialects', include: testsIn('packages/dialects') },
  { name: 'mcp', include: testsIn('packages/mcp') },
  { name: 'composed', include: testsIn('packages/composed') },
  { name: 'webhooks', include: testsIn('packages/webhooks') },
  { name: 'opentelemetry', include: testsIn('packages/opentelemetry'), standsAlone: true },
  { name: 'prometheus', include: testsIn('packages/prometheus') },
  {
    name: 'dashboard',
    include: [...testsIn('packages/dashboard'), 'packages/dashboard/page/src/**/*.test.ts'],
    globalSetup: isFast ? [] : ['packages/dashboard/test/build-page.ts'],
  },
  { name: 'ledger-sqlite', include: testsIn('packages/ledger-sqlite') },
  {
    name: 'ledger-postgres',
    include: testsIn('packages/ledger-postgres'),
    globalSetup: ['packages/ledger-postgres/test/global-setup.ts'],
  },
  { name: 'ledger-redis', include: testsIn('packages/ledger-redis') },
  { name: 'server', include: testsIn('packages/server') },
  // The rest of them: `npm run test:crash`.
  { name: 'crash-tests', include: ['tools/crash/src/ledger-check/*.test.ts'] },
  { name: 'openapi', include: testsIn('tools/openapi') },
  { name: 'examples', include: testsIn('examples/*') },
  { name: 'repo', include: ['tools/scripts/**/*.test.ts'] },
];

/** The fast tier loads the modules of core once, and not once for each project. It leaves out the older major versions of frameworks. */
function merged(projects: readonly Project[]): Project[] {
  const shared = projects.filter(({ alias, standsAlone }) => alias === undefined && standsAlone !== true);
  const include = shared.flatMap((project) => project.include);
  const globalSetup = shared.flatMap((project) => project.globalSetup ?? []);
  return [{ name: 'fast', include, globalSetup }, ...projects.filter(({ standsAlone }) => standsAlone === true)];
}

export default defineConfig({
  test: {
    // Each project would compile core again, and each run all of it: together that was a fifth of all the time of a processor.
    experimental: { fsModuleCache: true },
    projects: (isFast ? merged(PROJECTS) : PROJECTS).map(configOf),
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
