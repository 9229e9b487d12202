import { join } from 'node:path';
import { defineConfig } from 'vite';

/** Every URL is relative and nothing is inline, so that the page works below any path and under a strict Content-Security-Policy. */
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  // The client comes as source: building the page needs no other build before it.
  resolve: { conditions: ['@searchgate/source', 'module', 'browser'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, '../dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What is bundled asks for its license beside it.
    license: { fileName: 'licenses.md' },
  },
});
