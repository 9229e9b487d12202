import { join } from 'node:path';
import { build } from 'esbuild';

/** The client as a page loads it: one minified script. A part of another package or of Node in it fails the build or shows among its files. */
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
