/**
 * Mutation testing of one folder: `npm run test:mutation -- packages/core/src/routing`. Stryker plants faults one by one and reports those
 * that no test notices. It runs at HEAD in a copy of the repository, so that no fault reaches the work tree, however the run ends. `kill -9`
 * leaves only the copy behind, in the temporary directory.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyRepository, uncommittedFiles } from './mutation/copy-repository.js';
import { findNewerNode } from './mutation/find-newer-node.js';
import { mutatedFiles } from './mutation/mutated-files.js';
import { runStryker } from './mutation/run-stryker.js';

const root = join(import.meta.dirname, '../..');
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '1' }, incremental: { type: 'boolean', default: false } },
});

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const target = positionals[0]?.replace(/\/$/, '');
if (target === undefined || positionals.length > 1 || mutatedFiles(root, target).length === 0) {
  fail('Give one folder or file with source, such as: npm run test:mutation -- packages/core/src/routing');
}
const changed = uncommittedFiles(root);
if (changed.length > 0) fail(`Commit first, since only HEAD is tested. Uncommitted:\n${changed.join('\n')}`);

// Ctrl+C also reaches Stryker, which ends; then the copy is removed below.
process.on('SIGINT', () => undefined);
const copy = mkdtempSync(join(tmpdir(), 'searchgate-mutation-'));
try {
  const node = findNewerNode();
  copyRepository(root, copy);
  const reports = join(root, 'node_modules', '.cache', 'mutation', target.replaceAll('/', '-'));
  mkdirSync(reports, { recursive: true });
  process.exitCode = runStryker({
    copy,
    target,
    reports,
    node,
    concurrency: Number(values.concurrency),
    incremental: values.incremental,
  });
} finally {
  rmSync(copy, { recursive: true, force: true });
}
