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
    // Bundled from what `tsc -b` wrote: from the sources each package would be checked once more, and core with it.
    // The declaration bundler cannot read composite projects.
    dts: { entry: declarationsOf(entry), compilerOptions: { composite: false, paths: bundledTypes } },
    target: 'node20',
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

/** Where `tsc -b` has written the declarations of these files. Not below `node_modules`, which the bundler takes for code of others. */
function declarationsOf(entry: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entry).map(([name, file]) => [name, `.types/${file.replace(/\.ts$/, '.d.ts')}`]),
  );
}
