import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { everyProvider } from '../every-provider.js';
import { CONTRACT_DOCUMENTS, type KnownDocument } from './contract-documents.js';
import { contractTable, hasFailed, summary } from './contract-report.js';

const ENTRY: KnownDocument = {
  provider: 'mini',
  file: 'mini.json',
  origin: 'https://mini.example/openapi.json',
  copy: {
    repository: 'mini/api',
    path: 'openapi.json',
    commit: '0123456789abcdef',
    date: '2026-11-01',
    license: 'MIT',
  },
  settings: {},
  deviations: [{ problem: 'body.depth:', models: ['mini/deep'], reason: 'it is older than that' }],
};
const result = (problems: Record<string, string[]>, failure: string | null = null) => ({
  entry: ENTRY,
  models: Object.entries(problems).map(([slug, found]) => ({ slug, problems: found })),
  failure,
});
const KNOWN = result({ 'mini/fast': [], 'mini/deep': ['body.depth: not allowed'] });

describe('a run', () => {
  it('passes if all problems are listed deviations', () => {
    expect(hasFailed(KNOWN)).toBe(false);
    expect(summary(KNOWN)).toBe(
      'mini:\n  mini/fast: valid\n  mini/deep:\n    known  body.depth: not allowed (it is older than that)',
    );
  });

  it.each([
    [
      'a problem that is not listed',
      { 'mini/deep': ['body.depth: not allowed', 'body.q: missing'] },
      'FAILED body.q: missing',
    ],
    [
      'one that is listed for another model',
      { 'mini/fast': ['body.depth: no'], 'mini/deep': ['body.depth: no'] },
      'FAILED body.depth: no',
    ],
    [
      'one that is listed and not found',
      { 'mini/deep': [] },
      'FAILED body.depth: is listed as a deviation, but was not found',
    ],
  ])('fails on %s', (_, problems, line) => {
    expect(hasFailed(result(problems))).toBe(true);
    expect(summary(result(problems))).toContain(line);
  });

  it('fails if a known document is missing', () => {
    expect(hasFailed(result({}, 'there is no mini.json'))).toBe(true);
    expect(summary(result({}, 'there is no mini.json'))).toBe('mini: FAILED, there is no mini.json');
  });

  it('lists vendors without a document, with the reason', () => {
    const missing = { entry: { provider: 'none', missing: 'None was published.' }, models: [], failure: null };
    expect(hasFailed(missing)).toBe(false);
    expect(summary(missing)).toBe('none: not checked. None was published.');
    expect(contractTable([KNOWN, missing], 'Found today:')).toBe(`Found today:

| vendor | document | date | result |
| --- | --- | --- | --- |
| mini | [mini/api](https://github.com/mini/api/blob/0123456789abcdef/openapi.json) | 2026-11-01 | valid; except \`body.depth\`: it is older than that |

Without a document: none.`);
  });
});

const idsOfAll = () => everyProvider().map(({ id }) => id);

describe('the list of documents', () => {
  it('has every provider once, in order of the alphabet', () => {
    const listed = CONTRACT_DOCUMENTS.map(({ provider }) => provider);
    expect(listed, 'an entry for each in tools/scripts/contracts/documents.json').toEqual(idsOfAll());
  });

  it('is printed by docs/verify.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/verify.md'), 'utf8');
    const [, unchecked = ''] = /^Without a document: (.*)\.$/m.exec(page) ?? [];
    const missing = idsOfAll().filter((id) => !unchecked.split(', ').includes(id) && !page.includes(`\n| ${id} |`));
    expect(missing, 'run `npm run test:contracts -- --write`, or write it under “Without a document” by hand').toEqual(
      [],
    );
  });

  it('names only known models', () => {
    const slugs = everyProvider().flatMap(({ models }) => models.map(({ slug }) => slug));
    const named = CONTRACT_DOCUMENTS.flatMap((entry) => ('missing' in entry ? [] : (entry.deviations ?? [])));
    expect(slugs).toEqual(expect.arrayContaining(named.flatMap(({ models }) => models ?? [])));
  });
});
