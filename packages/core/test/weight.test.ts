import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './markdown.js';

// The weight that a reader has to carry. These are ceilings of a plan, not of the day: a change that needs more removes something else first.

/** The most lines of code per folder, without tests, comments and empty lines. */
const CODE_LINES: Readonly<Record<string, number>> = {
  'packages/core': 34_485,
  'packages/testing': 11_860,
  'packages/dialects': 1_370,
  'packages/dashboard': 7_991,
  'packages/server': 6_835,
  'packages/ledger-redis': 3_505,
  'packages/ledger-postgres': 3_225,
  'packages/ledger-sqlite': 2_775,
  'packages/mcp': 1_007,
  'packages/client': 710,
  'packages/composed': 700,
  'packages/ai-sdk': 783,
  'packages/webhooks': 323,
  'packages/opentelemetry': 190,
  'packages/prometheus': 101,
  'packages/koa': 60,
  'packages/express': 40,
  examples: 1_230,
  'tools/scripts': 1_560,
  'tools/crash': 2_700,
  'tools/bench': 1_790,
  'tools/clients': 770,
  'tools/servers': 755,
  'tools/openapi': 350,
};

/** The limits of the whole repository. */
const WHOLE = { lines: 274_175, 'lines of tests': 100_650, 'words of Markdown': 75_650, 'lines of models.json': 1_470 };

const CODE = /\.(?:tsx?|[cm]?js|lua|sql)$/;
const TEST = /\.test\.tsx?$|\/test\//;
const NO_CODE = /^\s*(?:(?:\/\/|\/?\*|--).*)?$/;

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

const linesOf = (text: string) => text.split('\n').length - 1;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

it.each(Object.entries(CODE_LINES))('%s has at most %d lines of code', (folder, most) => {
  const code = files.filter(({ path }) => path.startsWith(`${folder}/`) && CODE.test(path) && !TEST.test(path));
  expect(code.length).toBeGreaterThan(0);
  const lines = sum(code.map(({ text }) => text.split('\n').filter((line) => !NO_CODE.test(line)).length));
  expect(lines).toBeLessThanOrEqual(most);
});

it('counts every package', () => {
  const packages = new Set(files.flatMap(({ path }) => /^packages\/[^/]+/.exec(path) ?? []));
  expect([...packages].filter((folder) => !(folder in CODE_LINES))).toEqual([]);
});

it('the repository stays within its budgets', () => {
  const tests = files.filter(({ path }) => TEST.test(path) && /\.tsx?$/.test(path));
  // A changelog only grows.
  const documents = files.filter(({ path }) => path.endsWith('.md') && !path.endsWith('CHANGELOG.md'));
  const weight: Record<keyof typeof WHOLE, number> = {
    lines: sum(files.map(({ text }) => linesOf(text))),
    'lines of tests': sum(tests.map(({ text }) => linesOf(text))),
    'lines of models.json': sum(
      files.filter(({ path }) => path.endsWith('/models.json')).map(({ text }) => linesOf(text)),
    ),
    'words of Markdown': sum(documents.map(({ text }) => text.split(/\s+/).length)),
  };
  for (const [what, most] of Object.entries(WHOLE))
    expect([what, weight[what as keyof typeof WHOLE]]).toEqual([what, expect.toSatisfy((is: number) => is <= most)]);
});
