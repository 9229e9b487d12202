import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { bundleClient } from './bundle.js';

const MAX_BYTES = 4_300;

it('is at most 4.3 kB, minified and compressed', async () => {
  const { script } = await bundleClient('esm');
  expect(gzipSync(script, { level: 9 }).byteLength).toBeLessThanOrEqual(MAX_BYTES);
});

it('has no code of another package', async () => {
  const { files, script } = await bundleClient('esm');
  expect(files.length).toBeGreaterThan(5);
  expect(files.filter((file) => !/(?:^|\/)packages\/client\/src\/|^src\/|^\.\.\/src\//.test(file))).toEqual([]);
  expect(script).not.toMatch(/\b(?:import|require)\b/);
});
