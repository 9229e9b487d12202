import { defineConfig } from 'tsup';

/** How every published package is built: ESM and CJS, each with its own declarations. */
export function buildPackage(entry: Record<string, string>) {
  return defineConfig({
    entry,
    format: ['esm', 'cjs'],
    // The declaration bundler cannot read composite projects.
    dts: { compilerOptions: { composite: false } },
    target: 'node20',
    sourcemap: true,
    clean: true,
    treeshake: true,
    // Entries share their code, so that each class exists once per module system.
    splitting: true,
    silent: true,
  });
}
