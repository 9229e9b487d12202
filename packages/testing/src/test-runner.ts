/** The part of a test runner that conformance suites use; `describe` and `it` of Vitest, Jest, Mocha and `node:test` fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
}
