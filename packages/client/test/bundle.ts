import { join } from 'node:path';
import { build } from 'esbuild';

/** The client as one minified script for a page. Code from another package or Node fails the build, or shows among the script's files. */
export async function bundleClient(format: 'esm' | 'iife') {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, '../src/index.ts')],
    bundle: true,
    minify: true,
    format,
    ...(format === 'iife' ? { globalName: 'searchgate' } : {}),
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  return { script: outputFiles[0]?.text ?? '', files: Object.keys(metafile.inputs) };
}
