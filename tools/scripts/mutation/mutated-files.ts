import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Source whose faults a test could notice. */
const isSource = (file: string) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file) && !file.endsWith('.test.ts');

/** The files that get faults: the source of a folder, or one file; empty without such source. */
export function mutatedFiles(root: string, target: string): string[] {
  const path = join(root, target);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [target].filter(isSource);
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${target}/${name.replaceAll('\\', '/')}`).filter(isSource);
}

/** Quick suites that test a package as a whole, by the package's folder. */
const THROUGH_THE_PACKAGE: Record<string, string[]> = {
  'packages/core': 'attempts closing costs host-request idempotency in-process in-process-stream pipeline'.split(' '),
  'packages/ledger-sqlite': ['conformance', 'statement-plans'],
  'packages/ledger-postgres': 'audit calendar conformance lost-answers migrate registry-conformance'.split(' '),
  'packages/ledger-redis': 'audit conformance ended-holds large-amounts lost-answers migrate'.split(' '),
};

/** Patterns of the test files for a folder: those next to the source, and the package's quick suites. */
export function testFilesFor(target: string): string[] {
  const packageFolder = target.split('/').slice(0, 2).join('/');
  const beside = target.endsWith('.ts') ? dirname(target) : target;
  const suites = THROUGH_THE_PACKAGE[packageFolder] ?? ['*'];
  return [`${beside}/**/*.test.ts`, ...suites.map((suite) => `${packageFolder}/test/${suite}.test.ts`)];
}
