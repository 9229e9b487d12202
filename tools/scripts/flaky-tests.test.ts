import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { TestCase } from 'vitest/node';
import { FlakyTests } from './flaky-tests.js';

const folder = mkdtempSync(join(tmpdir(), 'flaky-tests-'));
const file = join(folder, 'cache', 'flaky.txt');
afterEach(() => rmSync(join(folder, 'cache'), { recursive: true, force: true }));

const testCase = (fullName: string, flaky: boolean) =>
  ({
    fullName,
    project: { name: 'core' },
    diagnostic: () => ({ flaky }),
    result: () => ({ errors: [{ message: 'expected 1 to be 2\nand more' }] }),
  }) as unknown as TestCase;

it('names the tests that needed a second try', () => {
  const printed: string[] = [];
  const reporter = new FlakyTests(file, (text) => void printed.push(text));
  reporter.onTestCaseResult(testCase('charges once', true));
  reporter.onTestCaseResult(testCase('releases the hold', false));
  reporter.onTestRunEnd();
  expect(printed).toEqual(['flaky, passed at the second try: core: charges once: expected 1 to be 2\n']);
  expect(readFileSync(file, 'utf8')).toBe(printed.join(''));
});

it('writes nothing where none did', () => {
  const reporter = new FlakyTests(file);
  reporter.onTestCaseResult(testCase('charges once', false));
  reporter.onTestRunEnd();
  expect(existsSync(file)).toBe(false);
});
