/** What the suites of @searchgate/testing register their rows with. */
interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}

/**
 * For one more host or engine of a long suite: in the fast tier (`npm test`), the first row of each group and every nth behind it. All rows
 * in `npm run check`.
 */
export function chosenRows(runner: TestRunner, everyNth: number): TestRunner {
  return process.env['SEARCHGATE_TESTS'] === 'fast' ? someRows(runner, everyNth) : runner;
}

/** The same in both tiers, for a variation of a host or engine that all rows test. */
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
