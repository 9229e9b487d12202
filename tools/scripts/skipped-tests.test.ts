import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

// Inside the repository, so that its imports resolve.
const folder = mkdtempSync(join(import.meta.dirname, '../../node_modules/.cache/skipped-tests-'));
afterAll(() => rmSync(folder, { recursive: true }));

const reporter = JSON.stringify(join(import.meta.dirname, 'skipped-tests.ts'));
writeFileSync(
  join(folder, 'vitest.config.ts'),
  `import { SkippedTests } from ${reporter};
export default { test: { include: ['*.test.ts'], reporters: [new SkippedTests()] } };`,
);

/** Runs vitest on one file. @returns its exit code and output. */
function runOver(source: string, environment: Record<string, string> = {}, more: readonly string[] = []) {
  writeFileSync(join(folder, 'some.test.ts'), `import { beforeAll, describe, expect, it } from 'vitest';\n${source}`);
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const env = { ...process.env, SEARCHGATE_SKIPPED_TESTS: '', ...environment };
  return new Promise<{ code: unknown; printed: string }>((resolve) => {
    execFile(process.execPath, [vitest, 'run', ...more], { cwd: folder, env }, (error, printed) =>
      resolve({ code: error?.code ?? 0, printed }),
    );
  });
}

const SKIPS = `
it('runs', () => {});
it('is skipped by its note', ({ skip }) => skip('no Chromium (Debian: apt-get install chromium)'));
describe.skipIf(true)('a suite (skipped: no Redis: nothing (at all))', () => { it('one', () => {}); it('two', () => {}); });
describe.skipIf(true)('an empty suite (skipped: no PgBouncer)', () => {});
it.skip('for no reason', () => {});
`;

it('lists skipped tests with their reasons, and fails the run only if skips are forbidden', async () => {
  const { code, printed } = await runOver(SKIPS);
  expect(code).toBe(0);
  expect(printed.split('Skipped on this machine:\n')[1]?.split('\n').toSorted()).toEqual(
    [
      '',
      '     some.test.ts (1)',
      '     some.test.ts (1)',
      '     some.test.ts (1)',
      '     some.test.ts (2)',
      '  no Chromium (Debian: apt-get install chromium)',
      '  no PgBouncer',
      '  no Redis: nothing (at all)',
      '  no reason is given: for no reason',
    ].toSorted(),
  );
  expect(await runOver(SKIPS, { SEARCHGATE_SKIPPED_TESTS: 'fail' })).toMatchObject({ code: 1 });
});

it('is silent if all tests run, if tests are chosen by name, and about tests that a failure has prevented', async () => {
  const all = { SEARCHGATE_SKIPPED_TESTS: 'fail' };
  expect(await runOver(`it('runs', () => {});`, all)).toEqual({ code: 0, printed: '' });
  expect(await runOver(SKIPS, all, ['-t', 'runs'])).toEqual({ code: 0, printed: '' });
  const failing = `describe('a suite', () => { beforeAll(() => { throw new Error('broken'); }); it('one', () => {}); });`;
  expect(await runOver(failing, all)).toEqual({ code: 1, printed: '' });
});
