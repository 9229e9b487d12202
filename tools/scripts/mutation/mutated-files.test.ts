import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutatedFiles, testFilesFor } from './mutated-files.js';

const root = join(import.meta.dirname, '../../..');

describe('mutation testing', () => {
  it('plants faults in the source of a folder, not in its tests', () => {
    const files = mutatedFiles(root, 'packages/core/src/routing');
    expect(files).toContain('packages/core/src/routing/retry-policy.ts');
    expect(files.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
    expect(mutatedFiles(root, 'packages/core/src/routing/retry-policy.ts')).toHaveLength(1);
  });

  it.each(['packages/core/src/no-such-folder', 'packages/core/test', 'scripts', 'packages/core/src/index.test.ts'])(
    'finds nothing to plant faults in in %s',
    (target) => {
      expect(mutatedFiles(root, target)).toEqual([]);
    },
  );

  it.each(readdirSync(join(root, 'packages')))('names only suites of %s that exist', (name) => {
    const [, ...suites] = testFilesFor(`packages/${name}/src`);
    const named = suites.filter((suite) => !suite.includes('*'));
    expect(named.filter((suite) => !existsSync(join(root, suite)))).toEqual([]);
  });

  it('runs the tests next to the source', () => {
    expect(testFilesFor('packages/core/src/auth')[0]).toBe('packages/core/src/auth/**/*.test.ts');
    expect(testFilesFor('packages/core/src/auth/api-key.ts')[0]).toBe('packages/core/src/auth/**/*.test.ts');
  });
});
