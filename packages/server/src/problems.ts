import { ConfigurationError } from '@searchgate/core';
import { errorMessage, maskUrls } from '@searchgate/core/ledger';

/** An error about one place of the configuration. */
export function problem(path: string, found: string, expected: string): ConfigurationError {
  return new ConfigurationError([{ path, found, expected }]);
}

/** Runs `build`, telling what is wrong in the operator's words: paths of options become names of variables or fields of the file. */
export function withPaths<T>(rename: (path: string) => string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.problems.map((each) => ({ ...each, path: rename(each.path) })));
  }
}

/** Leaves out what is undefined, as options that may be absent want it. */
export function defined<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

/** Whether something thrown is a mistake of this program: drivers and the system throw plain errors, or set a code. */
export function isBug(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (typeof (error as NodeJS.ErrnoException).code === 'string') return false;
  return [TypeError, RangeError, ReferenceError].some((mistake) => error instanceof mistake);
}

/** One line about a failure, without the secrets an address in it may hold. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return maskUrls(errorMessage(error).replace(/\s*\n\s*/g, ' '));
}

/** All that is known about a bug, without the secrets an address in it may hold. */
export function stackOf(error: Error): string {
  return maskUrls(error.stack ?? error.message);
}
