import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesOfCode, linesWithCode } from './lines-of-code.js';

const root = join(import.meta.dirname, '..');

/** How many lines each folder was planned to have at most. */
const PLANNED: Record<string, number> = {
  'packages/core': 15_000,
  'packages/ledger-postgres': 1_900,
  'packages/ledger-redis': 1_900,
  'packages/ledger-sqlite': 1_900,
  'packages/express': 80,
  'packages/koa': 80,
  'packages/testing': 6_500,
  'packages/client': 600,
  'packages/ai-sdk': 400,
  'packages/mcp': 400,
  'packages/opentelemetry': 300,
  'packages/prometheus': 200,
  'packages/webhooks': 200,
  'packages/dashboard': 800,
  'packages/server': 2_500,
  'examples/local-docs-provider': 500,
  bench: 2_500,
};
const SAID = /about ([\d,]+) lines without comments, where ([\d,]+) were planned/i;

const numberOf = (text: string) => Number(text.replaceAll(',', ''));

describe('lines of code', () => {
  it('are those that hold more than a comment', () => {
    expect(linesWithCode('')).toBe(0);
    expect(linesWithCode('// no\n\n/**\n * no\n */\n')).toBe(0);
    expect(linesWithCode('const a = 1; // yes\n\nfunction f() {\n  // no\n  return "/* yes";\n}\n')).toBe(4);
    expect(linesWithCode('const sql = `\nSELECT 1\n\n`;\n')).toBe(4);
  });

  it('have a plan for every package', () => {
    const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
    const known = Object.keys(PLANNED).filter((folder) => folder.startsWith('packages/'));
    expect(packages.filter((folder) => existsSync(join(root, folder, 'package.json'))).sort()).toEqual(known.sort());
  });

  it.each(Object.entries(PLANNED))(
    'of %s are within %d, or its README says how many they are and why',
    (folder, planned) => {
      const lines = linesOfCode(join(root, folder, 'src'));
      const [, said = '0', saidPlanned = '0'] = SAID.exec(readFileSync(join(root, folder, 'README.md'), 'utf8')) ?? [];
      expect([planned, 0]).toContain(numberOf(saidPlanned));
      const isSaid = Math.abs(numberOf(said) - lines) <= 0.03 * lines;
      expect(isSaid || lines <= planned, `${lines} lines`).toBe(true);
    },
  );
});
