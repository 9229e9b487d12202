import { ConfigurationError } from '@searchgate/core';
import { errorMessage, maskUrls } from '@searchgate/core/ledger';

export type Problem = ConfigurationError['problems'][number];

/** @throws ConfigurationError unless there is no problem. */
export function refuse(problems: readonly Problem[]): void {
  if (problems.length > 0) throw new ConfigurationError(problems);
}

/** The path of an entry, such as `providers.exa` or `models["exa/answer"]`. */
export function pathOf(field: string, name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `${field}.${name}` : `${field}[${JSON.stringify(name)}]`;
}

/** An error about one setting. */
export function problem(path: string, found: string, expected: string): ConfigurationError {
  return new ConfigurationError([{ path, found, expected }]);
}

/** Runs `build` and renames the paths of options in its errors to variables or fields of the file. */
export function withPaths<T>(rename: (path: string) => string, build: () => T): T {
  try {
    return build();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.problems.map((each) => ({ ...each, path: rename(each.path) })));
  }
}

/** Omits undefined fields, for options that may be absent but not undefined. */
export function defined<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [Name in keyof T]: Exclude<T[Name], undefined> };
}

/** Whether an error is a bug of this program: drivers and the system throw plain errors, or set a code. */
export function isBug(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (typeof (error as NodeJS.ErrnoException).code === 'string') return false;
  return [TypeError, RangeError, ReferenceError].some((mistake) => error instanceof mistake);
}

/** One line about a failure, without secrets in addresses. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return maskUrls(errorMessage(error).replace(/\s*\n\s*/g, ' '));
}

/** The stack of a bug, without secrets in addresses. */
export function stackOf(error: Error): string {
  return maskUrls(error.stack ?? error.message);
}
