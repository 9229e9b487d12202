import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The global variable of Stryker's runner that holds the fault. */
    globalNamespace: string;
  }
}

// A reused thread still has the last fault. Stryker sets the next fault when the tests begin.
const globals = globalThis as unknown as Record<string, { activeMutant?: string | undefined } | undefined>;
const stryker = globals[inject('globalNamespace')];
if (stryker !== undefined) stryker.activeMutant = undefined;
