import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const packagesFolder = join(import.meta.dirname, '..', '..');
const packages = readdirSync(packagesFolder);

function testsIn(packageName: string, folder: string): string[] {
  const path = join(packagesFolder, packageName, folder);
  if (!existsSync(path)) return [];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.test.ts')).map((file) => join(path, file));
}

/** Of `money.test.ts` and `provider-health.property.test.ts`: `money`, `provider-health`. */
const subjectOf = (test: string) => basename(test).replace(/(?:\.property)?\.test\.ts$/, '');

// docs/testing.md#where-a-test-lives
describe.each(packages)('a test of packages/%s', (packageName) => {
  it('in src is named after its file, or after its folder', () => {
    const strays = testsIn(packageName, 'src').filter((test) => {
      const subject = subjectOf(test);
      return subject !== basename(dirname(test)) && !existsSync(join(dirname(test), `${subject}.ts`));
    });
    expect(strays).toEqual([]);
  });

  it('in test lies at its root, where suites are looked for', () => {
    const root = join(packagesFolder, packageName, 'test');
    expect(testsIn(packageName, 'test').filter((test) => dirname(test) !== root)).toEqual([]);
  });

  it('waits by expect.poll with its common time limit, not by vi.waitFor', () => {
    const tests = [...testsIn(packageName, 'src'), ...testsIn(packageName, 'test')];
    expect(tests.filter((test) => /\bvi\.wait(?:For|Until)\(/.test(readFileSync(test, 'utf8')))).toEqual([]);
  });
});
