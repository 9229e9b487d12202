import { join } from 'node:path';
import { defineConfig } from 'vite';

/** All URLs are relative and nothing is inline, so that the page works below any path and under a strict Content-Security-Policy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  // The client is imported from source, so the page needs no earlier build.
  resolve: { conditions: ['@searchgate/source', 'module', 'browser'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, '../dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The licenses of the bundled packages have to ship with the bundle.
    license: { fileName: 'licenses.md' },
  },
});
