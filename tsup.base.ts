import { defineConfig } from 'tsup';

interface BuildOptions {
  /** Declarations that are copied into those of this package, so that it need not depend on theirs: their files, by the package. Default: none. */
  readonly bundledTypes?: Record<string, string[]>;
  /** Packages whose code is copied into this one, because npm has none of them. Default: none. */
  readonly bundled?: string[];
  /** Packages that may be missing where this one is installed. Default: none. */
  readonly optional?: string[];
  /** Gives `import.meta.url` to the CJS build. Default: false. */
  readonly shims?: boolean;
  /** A folder of `dist` that another tool has built before, which is left as it is. Default: none. */
  readonly builtBefore?: string;
  /** Runs when the build is done. */
  readonly onSuccess?: () => Promise<void>;
}

/** How every published package is built: ESM and CJS, each with its own declarations. */
export function buildPackage(
  entry: Record<string, string>,
  { bundledTypes = {}, bundled = [], optional = [], shims = false, builtBefore, onSuccess }: BuildOptions = {},
) {
  return defineConfig({
    entry,
    format: ['esm', 'cjs'],
    // The declaration bundler cannot read composite projects.
    dts: { compilerOptions: { composite: false, paths: bundledTypes } },
    target: 'node20',
    sourcemap: true,
    clean: builtBefore === undefined ? true : [`!${builtBefore}/**`],
    treeshake: true,
    // Entries share their code, so that each class exists once per module system.
    splitting: true,
    silent: true,
    noExternal: bundled,
    external: optional,
    shims,
    ...(onSuccess === undefined ? {} : { onSuccess }),
  });
}
