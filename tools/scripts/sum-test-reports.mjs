// Prints the failed tests of the vitest JSON reports given as arguments, then the totals as the last line. Plain
// JavaScript, so that it also runs after a failed installation. A missing report means that its run never started its
// tests; it counts nothing.
import { existsSync, readFileSync } from 'node:fs';

const MAX_MESSAGE_LENGTH = 2_000;
const totals = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2).filter((candidate) => existsSync(candidate))) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  totals.passed += report.numPassedTests;
  totals.failed += report.numFailedTests;
  totals.skipped += report.numPendingTests + report.numTodoTests;
  for (const file of report.testResults ?? []) printFailures(path, file);
}
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);

/** Repeats the failures at the end, since only the end of a long log may be kept. */
function printFailures(report, { name, message, assertionResults = [] }) {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  for (const { fullName, failureMessages = [] } of failed)
    console.log(`failed in ${report}: ${name}: ${fullName}\n${short(failureMessages.join('\n'))}\n`);
  // A file that failed to load has a message but no failed test.
  if (failed.length === 0 && message) console.log(`failed in ${report}: ${name}\n${short(message)}\n`);
}

function short(text) {
  return text.slice(0, MAX_MESSAGE_LENGTH);
}
