import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hashOfManifests } from './module-cache.js';

const FILES = {
  'package.json': '{}',
  'tsconfig.base.json': '{}',
  'packages/core/package.json': '{"exports":{"./ledger":"./src/ledger/index.ts"}}',
  'packages/core/src/index.ts': 'export {};',
  'examples/recipes/package.json': '{}',
  'testing/crash/tsconfig.json': '{}',
};

function hashOf(changes: Partial<typeof FILES>): string {
  const root = mkdtempSync(join(tmpdir(), 'searchgate-manifests-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return hashOfManifests(root);
}

it.each(Object.keys(FILES).filter((path) => path.endsWith('.json')))('changes with %s', (path) => {
  expect(hashOf({ [path]: '{"exports":{}}' })).not.toBe(hashOf({}));
});

it('is the same for the same manifests, whatever the source says', () => {
  expect(hashOf({ 'packages/core/src/index.ts': 'export const a = 1;' })).toBe(hashOf({}));
});
