import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Reporter, TestCase } from 'vitest/node';

/**
 * Names the tests that passed only at a second try, which they get where `CI` is set. Such a test is at fault, or what it tests is: it
 * must not pass in silence, and one of 13,000 must not hide what all others found.
 */
export class FlakyTests implements Reporter {
  readonly #file: string;
  readonly #flaky: string[] = [];

  readonly #print: (text: string) => void;

  /** @param file gets a line for each of them. */
  constructor(file: string, print: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#file = file;
    this.#print = print;
  }

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky !== true) return;
    const [error] = test.result().errors ?? [];
    const why = error?.message.split('\n')[0] ?? '';
    this.#flaky.push(`flaky, passed at the second try: ${test.project.name}: ${test.fullName}: ${why}`);
  }

  onTestRunEnd(): void {
    if (this.#flaky.length === 0) return;
    const lines = this.#flaky.map((line) => `${line}\n`).join('');
    this.#print(lines);
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, lines);
  }
}
