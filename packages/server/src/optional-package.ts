import { problem } from './problems.js';

const MISSING = new Set<unknown>(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** An optional package and the setting that needs it. */
export interface OptionalPackage {
  /** The setting. */
  readonly path: string;
  /** The name on npm. */
  readonly name: string;
}

/** Loads code that needs an optional package. @throws ConfigurationError naming the package to install. */
export async function loadOptional<T>({ path, name }: OptionalPackage, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!MISSING.has((error as NodeJS.ErrnoException).code)) throw error;
    throw problem(
      path,
      `a value that needs the package ${name}, which is not installed`,
      `it beside @searchgate/server: npm install ${name}`,
    );
  }
}
