import { problem } from './problems.js';

const MISSING = new Set<unknown>(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** What needs a package, and how to get it. */
export interface OptionalPackage {
  /** The setting that asks for it. */
  readonly path: string;
  /** As npm takes it. */
  readonly name: string;
}

/** Loads code that needs a package which may be left out of an installation. @throws ConfigurationError saying what to install. */
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
