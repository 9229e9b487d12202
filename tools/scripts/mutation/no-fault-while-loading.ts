import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** By Stryker's runner: the global variable that names the fault. */
    globalNamespace: string;
  }
}

// A thread that is used again still has the fault of the run before. Stryker sets the next one when the tests begin.
const globals = globalThis as unknown as Record<string, { activeMutant?: string | undefined } | undefined>;
const stryker = globals[inject('globalNamespace')];
if (stryker !== undefined) stryker.activeMutant = undefined;
