/** The part of a test runner that the suites of @searchgate/testing use. */
interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/**
 * For a further host or engine of a long suite: the fast tier (`npm test`) runs the first row of each group and every nth row after it.
 * `npm run check` runs all rows.
 */
export function chosenRows(runner: TestRunner, everyNth: number): TestRunner {
  return process.env['SEARCHGATE_TESTS'] === 'fast' ? someRows(runner, everyNth) : runner;
}

/** The same in both tiers, for a variation of a host or engine that runs all rows elsewhere. */
export function someRows({ describe, it }: TestRunner, everyNth: number): TestRunner {
  let count = 0;
  return {
    describe: (name, body) =>
      describe(name, () => {
        count = 0;
        body();
      }),
    it(name, body) {
      if (count % everyNth === 0) it(name, body);
      count += 1;
    },
  };
}
