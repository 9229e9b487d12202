import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

type Skipped = TestCase | TestSuite;

/**
 * Lists the skipped tests and their reasons at the end of a run: the note of `skip(reason)`, or `(skipped: reason)` in the name of a test or suite.
 * If SEARCHGATE_SKIPPED_TESTS is `fail`, as in .ci/run, a skip fails the run.
 */
export class SkippedTests implements Reporter {
  readonly #print: (text: string) => void;
  #root = '';
  #isFiltered = false;

  constructor(print: (text: string) => void = (text) => void process.stdout.write(text)) {
    this.#print = print;
  }

  onInit({ config }: Vitest): void {
    this.#root = config.root;
    // With `-t` all other tests count as skipped.
    this.#isFiltered = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, Map<string, number>>();
    for (const module of this.#isFiltered ? [] : modules) {
      const file = `${module.project.name} ${relative(this.#root, module.moduleId)}`;
      for (const each of skippedIn(module)) {
        const reason = reasonOf(each) ?? `no reason is given: ${each.fullName}`;
        const files = counts.get(reason) ?? new Map<string, number>();
        counts.set(reason, files.set(file, (files.get(file) ?? 0) + 1));
      }
    }
    if (counts.size === 0) return;
    const lines = [...counts].map(([reason, files]) => `  ${reason}\n${linesOf(files)}`).join('');
    this.#print(`\nSkipped on this machine:\n${lines}`);
    if (process.env['SEARCHGATE_SKIPPED_TESTS'] === 'fail') process.exitCode = 1;
  }
}

function linesOf(files: ReadonlyMap<string, number>): string {
  return [...files].map(([file, count]) => `    ${file} (${count})\n`).join('');
}

/** Skipped tests, and skipped suites without tests. A test that a failure has prevented is not a skip. */
function skippedIn({ children }: TestModule): Skipped[] {
  const suites = [...children.allSuites()].filter(
    (suite) => suite.options.mode === 'skip' && suite.children.size === 0,
  );
  return [...suites, ...children.allTests('skipped')].filter((each) => !hasFailedAbove(each));
}

function hasFailedAbove({ parent }: Skipped): boolean {
  if (parent.errors().length > 0) return true;
  return parent.type === 'suite' && hasFailedAbove(parent);
}

function reasonOf(skipped: Skipped): string | undefined {
  const result = skipped.type === 'test' ? skipped.result() : undefined;
  const note = result?.state === 'skipped' ? result.note : undefined;
  return note ?? /\(skipped: ([^()]*(?:\([^()]*\)[^()]*)*)\)/.exec(skipped.fullName)?.[1];
}
