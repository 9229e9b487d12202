import { ConfigurationError } from '@searchgate/core';

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
