import { defineConfig } from 'tsup';

interface BuildOptions {
  /** Declarations that are copied into those of this package, so that it need not depend on theirs: their files, by the package. Default: none. */
  readonly bundledTypes?: Record<string, string[]>;
  /** A folder of `dist` that another tool has built before, which is left as it is. Its files are found by `import.meta.url`, also in CommonJS. Default: none. */
  readonly builtBefore?: string;
}

/** How every published package is built: ESM and CJS, each with its own declarations. */
export function buildPackage(entry: Record<string, string>, { bundledTypes = {}, builtBefore }: BuildOptions = {}) {
  return defineConfig({
    entry,
    format: ['esm', 'cjs'],
    // The declaration bundler cannot read composite projects.
    dts: { compilerOptions: { composite: false, paths: bundledTypes } },
    target: 'node20',
    sourcemap: true,
    clean: builtBefore === undefined ? true : [`!${builtBefore}/**`],
    shims: builtBefore !== undefined,
    treeshake: true,
    // Entries share their code, so that each class exists once per module system.
    splitting: true,
    silent: true,
  });
}
