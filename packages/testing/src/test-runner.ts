/** What a conformance suite needs of a test runner; `describe` and `it` of Vitest, Jest, Mocha and `node:test` all fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}
