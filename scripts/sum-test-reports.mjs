// Prints the totals of the vitest JSON reports given as arguments. Plain JavaScript, so that it also runs after a
// failed installation. A report that does not exist belongs to a run that never reached its tests and counts nothing.
import { existsSync, readFileSync } from 'node:fs';

const totals = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2).filter((candidate) => existsSync(candidate))) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests + report.numTodoTests;
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
