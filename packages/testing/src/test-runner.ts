/** The part of a test runner that conformance suites use; `describe` and `it` of Vitest, Jest, Mocha and `node:test` fit. */
export interface TestRunner {
  /** Groups tests under a name. */
  describe(name: string, body: () => void): unknown;
  /** One test; it fails when the promise rejects. */
  it(name: string, body: () => Promise<void>): unknown;
}

interface Disposable {
  readonly dispose: () => Promise<void>;
}

/** Registers tests, each with a subject of its own that it disposes of whatever the test did. */
export function testsOf<S extends Disposable>(it: TestRunner['it'], create: () => Promise<S>) {
  return (name: string, body: (subject: S) => Promise<void>) =>
    void it(name, async () => {
      const subject = await create();
      try {
        await body(subject);
      } finally {
        await subject.dispose();
      }
    });
}
